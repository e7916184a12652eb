// The end of `tessera reduce` and `tessera map`.
#pragma once

#include <optional>

#include "comm/world.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::command {

/// Collective: runs a reduction or a map. Also if it is stopped, which it throws then, the gather
/// rank writes --report, --trace and the page of `live`; null = there is none. At the end it prints
/// the results and removes the checkpoint.
void reduce_and_publish(run::Context& context, const job::ReduceJob& job, report::LiveRun* live);

}  // namespace tessera::command
