// What the threads of a rank did, put together over the farms of a run and over the ranks.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Largest resident size of this process.
std::uint64_t peak_memory_bytes();

/// Adds the threads of a farm to those of the farms before it, by name.
void merge_threads(std::vector<report::ThreadReport>& into, std::vector<report::ThreadReport> from);

/// Collective: the reports of all ranks, on the gather rank; empty elsewhere. Fills in the rank,
/// the host and the largest resident size.
std::vector<report::RankReport> gather_reports(comm::World& world, report::RankReport mine);

}  // namespace tessera::farm
