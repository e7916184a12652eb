// What of each rank's work was stored. Counted where it is stored, since a rank may be lost with
// its own counts, and may have made what nobody needed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/world.hpp"
#include "report/reduce_report.hpp"
#include "report/timings.hpp"

namespace tessera::run {

struct StoredCounts {
  std::uint64_t tiles = 0;
  std::uint64_t pixels = 0;
  std::uint64_t iterations = 0;
  std::uint64_t bytes = 0;
};

/// Puts `stored`, by rank, into `ranks`, with an entry for each rank that was lost with its report.
void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, StoredCounts>& stored,
                const comm::World& world);

/// Of a reduction.
struct ReducedCounts {
  std::int64_t slices = 0;  ///< along axes, items
  std::int64_t elements = 0;
};

/// `element_bytes`: read for each element.
void put_counts(std::vector<report::ReduceRank>& ranks, const std::map<int, ReducedCounts>& reduced,
                std::uint64_t element_bytes, const comm::World& world);

/// What the gather rank saw happen to the ranks, and what it did about it.
report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats);

}  // namespace tessera::run
