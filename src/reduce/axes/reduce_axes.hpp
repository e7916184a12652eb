// `tessera reduce --axis` and `tessera map`: all stages, from the job to the output file and the
// report.
#pragma once

#include <optional>

#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/live_run.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::reduce {

/// Collective. Returns the report of the run on the gather rank, an empty report elsewhere. Throws
/// AgreedError, with ExitCode::stopped if the run was stopped. Creates `checkpoints` on the gather
/// rank.
report::ReduceReport reduce_axes(run::Context& context, const job::ReduceJob& job,
                                 std::optional<ReduceCheckpoints>& checkpoints,
                                 report::LiveRun* live = nullptr);

/// The same for `tessera map`: writes job.mapped to job.output.
report::ReduceReport map_arrays(run::Context& context, const job::ReduceJob& job,
                                std::optional<ReduceCheckpoints>& checkpoints);

}  // namespace tessera::reduce
