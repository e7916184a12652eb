// The farm: every rank's worker threads pull items from the schedule on the gather rank and send
// back what they made. One farm a stage (preview, render, colour); all ranks enter it together.
#pragma once

#include <cstddef>
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

/// Called on the gather rank whenever items were finished.
using ProgressHook = std::function<void(const plan::Schedule&)>;

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
