// Converts the records of a GPU launch, one per block, to a partial result. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::gpu {

/// The data read after a launch. `spill` may be empty if no record has spilled.
struct LaunchResult {
  std::span<const kernels::TsReduced> records;
  std::span<const kernels::TS_U64> spill;
  std::int64_t elements = 0;
};

/// Adds everything except the indices of extremes and the first NaN.
void add_counts_and_sums(const LaunchResult& result, const statistics::ReductionSpec& spec,
                         statistics::Partial& partial);

/// Adds the result of a launch over two arrays. `real`: at least one of them holds floating-point
/// numbers.
void add_pairs(const LaunchResult& result, bool real, statistics::PairSums& sums);

/// Extremes with their indices, counted from the first element of the launch.
struct LaunchIndices {
  statistics::ExtremeIndex least{.key = std::numeric_limits<statistics::OrderKey>::max()};
  statistics::ExtremeIndex greatest;
  std::int64_t first_nan = statistics::ExtremeIndex::kNowhere;
};
LaunchIndices extreme_indices(std::span<const kernels::TsReduced> records);

}  // namespace tessera::device::gpu
