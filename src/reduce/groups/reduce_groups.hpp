// `tessera reduce --by`: all stages, from the job to the table of groups and the report.
#pragma once

#include <optional>

#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::reduce {

/// Collective. As reduce(): returns the report of the run on the gather rank, an empty report
/// elsewhere.
report::ReduceReport reduce_groups(run::Context& context, const job::ReduceJob& job,
                                   std::optional<ReduceCheckpoints>& checkpoints,
                                   report::LiveRun* live = nullptr);

}  // namespace tessera::reduce
