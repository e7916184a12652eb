// The end of `tessera reduce` and `tessera map`.
#pragma once

#include <functional>
#include <optional>

#include "comm/world.hpp"
#include "job/arrays/array_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::command {

using ReduceRun = std::function<report::ReduceReport(std::optional<reduce::ReduceCheckpoints>&)>;

/// Collective: calls run(). Also if it is stopped, which it throws then, the gather rank writes
/// --report, --trace and the page of `live`; null = there is none. At the end it prints the results
/// and removes the checkpoint.
void run_and_publish(run::Context& context, const job::ArrayJob& job, report::LiveRun* live,
                     const ReduceRun& run);

}  // namespace tessera::command
