// tessera reduce: the same spine as a render, from the job to the report.
#pragma once

#include "comm/world.hpp"
#include "job/reduce_job.hpp"
#include "report/reduce_report.hpp"

namespace tessera::run {

/// Collective. On the gather rank the report of the run, elsewhere an empty one. Throws base::Error
/// on every rank alike.
report::ReduceReport reduce(comm::World& world, const job::ReduceJob& job);

}  // namespace tessera::run
