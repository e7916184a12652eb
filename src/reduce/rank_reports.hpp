// What every rank of a reduction did, on the gather rank.
#pragma once

#include <vector>

#include "binding/rank_devices.hpp"
#include "comm/world.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// What this rank's devices and threads did; `read_s`: of that reading, summed over the workers.
report::ReduceRank rank_report(const binding::RankDevices& devices, int workers,
                               const std::vector<report::ThreadReport>& threads, double read_s);

/// Collective: the ranks in order, with hosts and largest resident sizes; empty elsewhere than on
/// the gather rank.
std::vector<report::ReduceRank> gather_ranks(comm::World& world, report::ReduceRank mine);

}  // namespace tessera::reduce
