// The farm: the worker threads of all ranks request items from the schedule on the gather rank and
// send back the results. Each stage (preview, render, colour, verify, a pass of a reduction) is one
// farm, which all ranks enter together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/world.hpp"
#include "farm/parts.hpp"
#include "farm/progress.hpp"
#include "farm/work.hpp"
#include "plan/dealer.hpp"
#include "plan/schedule.hpp"
#include "report/live_run.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

struct FarmLimits {
  std::size_t outbox_bytes = std::size_t{64} << 20;  ///< encoded but not yet sent, per rank
  std::size_t inbox_bytes = std::size_t{64} << 20;   ///< received but not yet stored
  bool trace = false;                                ///< record the spans of a trace
  /// When the gather rank requests a stop (--max-seconds).
  std::optional<base::Clock::time_point> until;
  /// On the gather rank: learns how far the farm is. Null = nobody wants to know.
  report::LiveRun* live = nullptr;
};

/// For items whose results are at most some KiB.
inline constexpr FarmLimits kSmallResults{.outbox_bytes = std::size_t{1} << 20,
                                          .inbox_bytes = std::size_t{1} << 20};

/// Called on the gather rank all the time, to show how far the farm is.
using ProgressHook = std::function<void(const plan::Schedule&, const plan::Dealer&)>;

/// A whole farm. Every rank fills in `work`, `parts` and `limits`; the rest is for the gather rank.
struct FarmRun {
  Work& work;
  Sink* sink = nullptr;  ///< null if there is one part, but on the gather rank
  Parts parts{};
  std::vector<float> costs{};
  plan::Order order = plan::Order::given;
  std::int64_t window = 0;       ///< as in plan::Schedule
  std::vector<bool> finished{};  ///< items of an earlier run, by number; may be shorter
  std::int64_t left_out = 0;     ///< of these, items that other runs make
  std::string label{};           ///< one word in front of the progress bar
  std::string item{};            ///< name of a counted thing
  Following following{};         ///< counted in the remaining time
  bool quiet = true;             ///< no progress bar
  FarmLimits limits{};
};

struct FarmResult {
  std::vector<report::ThreadReport> threads;  ///< threads of this rank, the writer's thread too
  plan::Repeats repeats;                      ///< on the gather rank
};

/// Thrown on every rank if any rank was asked to stop (base::this_run()) and something was left to
/// do, with what this rank has done.
class Stopped : public comm::AgreedError {
 public:
  Stopped(const std::string& why, FarmResult result)
      : AgreedError(base::ExitCode::stopped, why), result_(std::move(result)) {}

  FarmResult& result() { return result_; }

 private:
  FarmResult result_;
};

/// Collective: the lanes of all ranks together.
int total_lanes(comm::World& world, int lanes);

/// Collective: runs a farm to its end, with a schedule over `costs` on the gather rank. Throws as
/// run_farm() does.
FarmResult run(comm::World& world, FarmRun farm);

/// Which rank stores what; every rank has it.
struct Storing {
  Sink* sink = nullptr;  ///< null if there is one part, but on the gather rank
  Parts parts{};
};

/// The gather rank's inputs.
struct Gather {
  plan::Schedule& schedule;
  ProgressHook progress;
  std::string item = "item";  ///< name of a counted thing in messages
};

/// Runs a farm to its end. Collective. `gather` is null except on the gather rank. Returns a report
/// for each thread of this rank, including the writer. If any rank fails, every rank throws the
/// same AgreedError, which names the rank, its host and the cause. If any rank is asked to stop,
/// they throw Stopped. All ranks leave together.
std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const Storing& storing,
                                           const FarmLimits& limits, Gather* gather);

}  // namespace tessera::farm
