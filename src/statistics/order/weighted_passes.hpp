// The passes of weighted quantiles over an array of pairs. What each pass asks for follows from the
// tallies of the one before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/answers.hpp"
#include "statistics/order/order_passes.hpp"
#include "statistics/order/weighted_quantile.hpp"
#include "statistics/order/weighted_sample.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// Bins of all ranges of a pass together: exact sums take more than counts.
// crossed by: FindsQuantilesOfAnyWeightsInAnyMemory
inline constexpr std::size_t kMaxWeightBins = 2048;

class WeightedPasses {
 public:
  /// `max_keys`: that may be held at a time.
  WeightedPasses(const job::ReduceJob& job, std::uint64_t max_keys)
      : job_(job), max_keys_(max_keys) {}

  /// Whether the job has weighted quantiles at all.
  static bool requested(const job::ReduceJob& job);
  /// `sample`: of an array of so many pairs; may be empty.
  WeightRequest first(const WeightedSample& sample, std::int64_t elements) const;
  /// Adds what the last pass has found to `findings`. Returns the request of the next pass, if one
  /// is needed. `all`: the partial result, which says how many elements are NaN.
  std::optional<WeightRequest> next(const WeightRequest& last, WeightTally& tally,
                                    const Partial& all, OrderFindings& findings) const;
  /// The same from all keys with weights that count, which it sorts.
  OrderFindings find_in(std::span<WeightedKey> keys, const Partial& counts) const;
  /// How often the array is probably read, and at most, for a message.
  std::string plan_text(const WeightRequest& first, double array_bytes) const;

 private:
  bool has_answer(const Partial& all, const WeightedFindings& found) const;

  const job::ReduceJob& job_;
  std::uint64_t max_keys_;
};

/// The answers of median or quantile.
std::vector<Value> weighted_answer(job::Operation operation, const job::ReduceJob& job,
                                   const WeightedFindings& found);

}  // namespace tessera::statistics
