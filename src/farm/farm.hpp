// The farm: the worker threads of every rank pull items from the schedule on the gather rank and
// send their results back. A stage (preview, render, colour, verify, a pass of a reduction) is one
// farm; all ranks enter it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "comm/world.hpp"
#include "farm/work.hpp"
#include "plan/schedule.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

struct FarmLimits {
  std::size_t outbox_bytes = std::size_t{64} << 20;  ///< encoded and not yet sent, per rank
  std::size_t inbox_bytes = std::size_t{64} << 20;   ///< received and not yet stored
  bool trace = false;                                ///< keep the spans
  /// When the gather rank asks for a stop (--max-seconds).
  std::optional<base::Clock::time_point> until;
};

/// For items whose results are at most some KiB.
inline constexpr FarmLimits kSmallResults{.outbox_bytes = std::size_t{1} << 20,
                                          .inbox_bytes = std::size_t{1} << 20};

/// Called on the gather rank whenever items were finished.
using ProgressHook = std::function<void(const plan::Schedule&)>;

/// A whole farm. Every rank fills in `work` and `limits`; the rest is for the gather rank.
struct FarmRun {
  Work& work;
  Sink* sink = nullptr;  ///< null on all other ranks
  std::vector<float> costs{};
  plan::Order order = plan::Order::given;
  std::int64_t window = 0;       ///< as plan::Schedule has it
  std::vector<bool> finished{};  ///< items of an earlier run, by number; may be shorter
  std::string label{};           ///< one word in front of the progress bar
  std::string items{};           ///< counted in the progress bar, in the plural
  bool quiet = true;             ///< no progress bar
  FarmLimits limits{};
};

struct FarmResult {
  std::vector<report::ThreadReport> threads;  ///< of this rank, the writer's thread too
  plan::Repeats repeats;                      ///< on the gather rank
};

/// Collective: the lanes of all ranks together.
int total_lanes(comm::World& world, int lanes);

/// Collective: runs a farm to its end, with a schedule over `costs` on the gather rank. Errors as
/// run_farm() has them.
FarmResult run(comm::World& world, FarmRun farm);

/// The gather rank's side of a farm.
struct Gather {
  plan::Schedule& schedule;
  Sink& sink;
  ProgressHook progress;
};

/// Runs a farm to its end. `gather` on the gather rank only, null elsewhere. Returns, per thread of
/// this rank, what it did (the writer's thread too). When any rank fails, every rank throws the
/// same AgreedError, which names the rank, its host and the cause; when any rank is asked to stop
/// (base/stop_request.hpp) and something is left to do, one with ExitCode::stopped. All ranks leave
/// together.
std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const FarmLimits& limits,
                                           Gather* gather);

}  // namespace tessera::farm
