// Where the weighted quantiles of an array probably are, by a sample of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/arrays/operations.hpp"
#include "statistics/order/rank_search.hpp"
#include "statistics/order/weight_tally.hpp"

namespace tessera::statistics {

/// Runs of neighbouring pairs that count, from all over an array.
using WeightedSample = std::vector<std::vector<WeightedKey>>;

/// A quantile and how it is defined.
struct SoughtQuantile {
  const job::WeightedMethod* method = nullptr;
  double q = 0;
};

/// As likely_segments() of elements without weights.
std::vector<KeySegment> likely_segments(const WeightedSample& sample,
                                        std::span<const SoughtQuantile> sought,
                                        std::int64_t elements);

}  // namespace tessera::statistics
