// The farm: the worker threads of all ranks request items from the schedule on the gather rank and
// send back the results. Each stage (preview, render, colour, verify, reduce) is one farm, which
// all ranks enter together.
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
  std::size_t outbox_bytes = std::size_t{64} << 20;  ///< encoded but not yet sent, per rank
  std::size_t inbox_bytes = std::size_t{64} << 20;   ///< received but not yet stored
  bool trace = false;                                ///< record the spans of a trace
  /// When the gather rank requests a stop (--max-seconds).
  std::optional<base::Clock::time_point> until;
};

/// Called on the gather rank when items have been finished.
using ProgressHook = std::function<void(const plan::Schedule&)>;

/// The gather rank's inputs.
struct Gather {
  plan::Schedule& schedule;
  Sink& sink;
  ProgressHook progress;
};

/// Runs a farm to its end. Collective. `gather` is null except on the gather rank. Returns a report
/// for each thread of this rank, including the writer. If any rank fails, every rank throws the
/// same AgreedError, which names the rank, its host and the cause. If any rank is asked to stop
/// (base/stop_request.hpp) and something is left to do, every rank throws one with
/// ExitCode::stopped. All ranks leave together.
std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const FarmLimits& limits,
                                           Gather* gather);

}  // namespace tessera::farm
