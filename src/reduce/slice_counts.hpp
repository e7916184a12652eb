// Slices of each rank that entered the result. The gather rank counts them, since a rank may be
// lost with its own counts, and since a slice may have been reduced twice.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/world.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

struct ReducedCounts {
  std::int64_t slices = 0;  ///< along axes, items
  std::int64_t elements = 0;
};

/// Puts `reduced`, by rank, into `ranks`, with an entry for each rank that was lost with its
/// report. `element_bytes`: read for each element.
void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, ReducedCounts>& reduced,
                std::uint64_t element_bytes, const comm::World& world);

}  // namespace tessera::reduce
