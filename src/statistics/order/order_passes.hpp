// The passes of order statistics: median, quantiles, mode, the number of values, the largest
// elements. What each pass asks for follows from the tallies of the one before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/order/rank_search.hpp"
#include "statistics/order/weight_tally.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// Findings of the passes so far.
struct OrderFindings {
  std::map<std::int64_t, ElementKey> by_rank;
  std::int64_t distinct = 0;
  std::int64_t mode_count = 0;
  ElementKey mode = 0;  ///< the least of those that occur most often
  std::vector<TopElement> top;
  WeightedFindings weighted;

  static auto members(auto& self) {
    return std::tie(self.by_rank, self.distinct, self.mode_count, self.mode, self.top,
                    self.weighted);
  }
};

/// Whether OrderPasses finds it; no Partial does.
bool is_order_statistic(job::Operation operation);

class OrderPasses {
 public:
  /// Throws a usage error for an operation that the type does not have. `max_keys`: that may be
  /// held at a time.
  OrderPasses(const job::ReduceJob& job, base::ElementType type, std::int64_t elements,
              std::uint64_t max_keys);

  /// Whether the job has such operations at all.
  static bool requested(const job::ReduceJob& job);
  /// Whether first() needs a sample.
  bool samples() const;
  KeyRequest first(const KeySample& sample) const;
  /// Adds what the last pass has found to `findings`. Returns the request of the next pass, if one
  /// is needed. `all`: the partial result, which says how many elements are NaN.
  std::optional<KeyRequest> next(const KeyRequest& last, KeyTally& tally, const Partial& all,
                                 OrderFindings& findings) const;
  /// The same from the keys of all elements, NaN among them, in C order. Reorders them. Counts
  /// elements and NaN.
  OrderFindings find_in(std::span<ElementKey> keys, Partial& counts) const;
  /// Ranks of the elements that the answers need, among the numbers; none if there is no answer.
  std::vector<std::int64_t> ranks(const Partial& all) const;
  /// How many of the largest elements the answers need, and whether NaN are among them.
  std::int64_t top() const;
  bool top_nans() const { return job_.nan == job::NanPolicy::propagate; }
  /// Whether they need to know how often each value occurs.
  bool counts_values() const;
  /// How often the array is probably read, and at most, for a message.
  std::string plan_text(const KeyRequest& first) const;

 private:
  bool wants(job::Operation operation) const;
  /// Elements that have a rank.
  std::int64_t ranked(const Partial& all) const;
  std::vector<double> fractions() const;
  KeyRequest blank() const;
  void count_bins(const KeyRequest& last, const KeyTally& tally, OrderFindings& findings) const;
  bool count_values(const KeyTally& tally, OrderFindings& findings, KeyRequest& next) const;
  void find_ranks(const KeyRequest& last, KeyTally& tally, const Partial& all,
                  OrderFindings& findings, KeyRequest& next) const;

  const job::ReduceJob& job_;
  base::ElementType type_;
  std::int64_t elements_;
  std::uint64_t max_keys_;
};

/// Elements of a sample: runs, and elements of a run.
// crossed by: test_around_the_size_of_a_sample
inline constexpr std::int64_t kSampleRuns = 1024;
inline constexpr std::int64_t kSampleRun = 64;

}  // namespace tessera::statistics
