// Counts the slices of each rank that are part of the result. The gather rank counts them, because
// a lost rank loses its own counts and because a slice may have been reduced twice.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/world.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

struct ReducedCounts {
  std::int64_t slices = 0;  ///< items if there is an --axis
  std::int64_t elements = 0;
};

/// Copies `reduced`, keyed by rank, into `ranks`, and adds an entry for each rank that was lost
/// with its report. `element_bytes`: bytes read per element.
void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, ReducedCounts>& reduced,
                std::uint64_t element_bytes, const comm::World& world);

}  // namespace tessera::reduce
