// tessera reduce: the same spine as a render, from the job to the report.
#pragma once

#include <optional>

#include "comm/world.hpp"
#include "job/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// Collective. On the gather rank the report of the run, elsewhere an empty one. Throws base::Error
/// on every rank alike; one with ExitCode::stopped when the run was asked to stop. On the gather
/// rank `checkpoints` is made, for the caller to remove() when the answer is out.
report::ReduceReport reduce(comm::World& world, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints);

}  // namespace tessera::reduce
