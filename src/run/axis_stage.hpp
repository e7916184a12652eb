// `tessera reduce --axis`: the same spine as without, to arrays in a file.
#pragma once

#include "comm/world.hpp"
#include "job/reduce_job.hpp"
#include "report/reduce_report.hpp"

namespace tessera::run {

/// All ranks call it; the report is complete on the gather rank. Throws AgreedError.
report::ReduceReport reduce_axes(comm::World& world, const job::ReduceJob& job);

}  // namespace tessera::run
