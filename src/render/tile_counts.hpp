// Counts the stored tiles of each rank. The gather rank counts them, because a lost rank loses its
// own counts and because a tile may have been computed twice.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::render {

struct StoredCounts {
  std::uint64_t tiles = 0;
  std::uint64_t pixels = 0;
  std::uint64_t iterations = 0;
  std::uint64_t bytes = 0;
};

/// Copies `stored`, keyed by rank, into `ranks`, and adds an entry for each rank that was lost with
/// its report.
void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, StoredCounts>& stored,
                const comm::World& world);

}  // namespace tessera::render
