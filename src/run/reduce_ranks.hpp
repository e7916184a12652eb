// What every rank of a reduction did, on the gather rank.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "report/reduce_report.hpp"

namespace tessera::run {

/// Collective: the ranks in order, with hosts and largest resident sizes; empty elsewhere than on
/// the gather rank.
std::vector<report::ReduceRank> gather_ranks(comm::World& world, report::ReduceRank mine);

}  // namespace tessera::run
