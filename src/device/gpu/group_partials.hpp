// From what the groups of a GPU's launch came to, to a partial result. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

/// What a launch says. `spill` may be empty if no record says that something was spilled.
struct LaunchResult {
  std::span<const kernels::TsReduced> records;
  std::span<const kernels::TS_U64> spill;
  std::int64_t elements = 0;
};

/// Adds all but places and the first NaN.
void add_counts_and_sums(const LaunchResult& result, const statistics::ReductionSpec& spec,
                         statistics::Partial& partial);

/// Of a launch over two arrays; `real`: at least one is of floats.
void add_pairs(const LaunchResult& result, bool real, statistics::PairSums& sums);

/// Of a launch: indices count its elements from 0.
struct LaunchIndices {
  statistics::ExtremeIndex least{.key = std::numeric_limits<statistics::OrderKey>::max()};
  statistics::ExtremeIndex greatest;
  std::int64_t first_nan = statistics::ExtremeIndex::kNowhere;
};
LaunchIndices places_of(std::span<const kernels::TsReduced> records);

}  // namespace tessera::device::gpu
