// Reports of the threads of a rank, merged over the farms of a run and gathered from all ranks.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Peak resident memory of this process.
std::uint64_t peak_memory_bytes();
/// Resident memory that it has now; 0 if the system does not tell.
std::uint64_t resident_bytes();

/// Merges the reports of a farm's threads into those of earlier farms, by name.
void merge_threads(std::vector<report::ThreadReport>& into, std::vector<report::ThreadReport> from);

/// Collective. Returns the reports of all ranks on the gather rank; empty elsewhere. Fills in the
/// rank, the host and the peak resident memory.
std::vector<report::RankReport> gather_reports(comm::World& world, report::RankReport mine);

}  // namespace tessera::farm
