// tessera reduce without --axis: all stages, from the job to the report.
#pragma once

#include <optional>

#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::reduce {

/// Collective. Returns the report of the run on the gather rank, an empty report elsewhere. Throws
/// the same base::Error on every rank, with ExitCode::stopped if the run was stopped. On the gather
/// rank it creates `checkpoints`; the caller calls remove() after it has printed the result.
report::ReduceReport reduce(run::Context& context, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints,
                            report::LiveRun* live = nullptr);

}  // namespace tessera::reduce
