// `tessera reduce --axis`: the same spine as without, to arrays in a file.
#pragma once

#include <optional>

#include "comm/world.hpp"
#include "job/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// All ranks call it; the report is complete on the gather rank. Throws AgreedError, one with
/// ExitCode::stopped when the run was asked to stop. `checkpoints` are made on the gather rank.
report::ReduceReport reduce_axes(comm::World& world, const job::ReduceJob& job,
                                 std::optional<ReduceCheckpoints>& checkpoints);

}  // namespace tessera::reduce
