// The end of `tessera reduce` and `tessera map`.
#pragma once

#include <optional>

#include "comm/world.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/checkpointing.hpp"
#include "report/reduce_report.hpp"

namespace tessera::command {

/// On the gather rank: prints the results, writes --report and --trace, and removes the checkpoint.
void publish_report(const comm::World& world, const job::ReduceJob& job,
                    const report::ReduceReport& run,
                    std::optional<reduce::ReduceCheckpoints>& checkpoints);

}  // namespace tessera::command
