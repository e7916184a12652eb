#include "statistics/order/weighted_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::statistics {

namespace {

using job::Operation;
using kernels::LongNumber;
using kernels::Superaccumulator;

/// Each has some bins then; the others wait for a later pass.
// crossed by: FindsMoreQuantilesThanAPassHasRangesFor
constexpr std::size_t kMaxWeightRanges = 256;

/// The quantiles of the job; the median is the last one.
std::vector<SoughtQuantile> sought_by(const job::ReduceJob& job) {
  std::vector<SoughtQuantile> sought;
  if (wants(job, Operation::quantile)) {
    for (const double q : job.quantiles) {
      sought.push_back({job::find_weighted(job.quantile_method), q});
    }
  }
  if (wants(job, Operation::median)) {
    sought.push_back({job::find_weighted(job::QuantileMethod::linear), 0.5});
  }
  return sought;
}

std::vector<WeightWindow> windows_of(const job::ReduceJob& job, const WeightedFindings& found) {
  const LongNumber sum = LongNumber::of(found.weights), squares = LongNumber::of(found.squares);
  std::vector<WeightWindow> windows;
  for (const SoughtQuantile& one : sought_by(job)) {
    windows.emplace_back(*one.method, one.q, sum, squares);
  }
  return windows;
}

std::vector<KeyRange> some_ranges(std::vector<KeySegment> segments, std::uint64_t max_keys) {
  segments.resize(std::min(segments.size(), kMaxWeightRanges));
  return ranges_of(segments, max_keys, kMaxWeightBins);
}

/// What a pass says about bounds among its cells.
class CellSearch {
 public:
  CellSearch(const WeightRequest& request, WeightTally& tally)
      : tally_(tally), cells_(request.ranges) {
    for (auto& keys : tally.keys) sort_weighted(keys);
    Superaccumulator sum;
    for (const WeightSum& cell : tally.sums) {
      below_.push_back(sum);
      sum.merge(cell.weights);
    }
    below_.push_back(sum);
  }

  /// The cell with the number.
  std::size_t cell_of(const WeightBound& bound) const {
    const auto end = std::partition_point(
        below_.begin() + 1, below_.end() - 1,
        [&](const Superaccumulator& up_to) { return !bound.reached_by(LongNumber::of(up_to)); });
    // One without weight is never the first that reaches a bound, unless that is 0.
    auto cell = static_cast<std::size_t>(end - below_.begin()) - 1;
    while (tally_.sums[cell].count == 0) ++cell;
    return cell;
  }
  /// Its place there, if it is not found yet and the pass tells it.
  void find(const WeightBound& bound, std::size_t cell, WeightPlace& place) const {
    if (place.is_found) return;
    const WeightSum& sum = tally_.sums[cell];
    if (sum.is_one_key()) {
      place = {true, sum.least, below_[cell], below_[cell + 1]};
    } else if (const auto* const keys = tally_.keys_of(cell, cells_)) {
      place = find_place(bound, *keys, below_[cell]);
    }
  }
  /// Cells, as far as there are keys in them.
  KeySegment segment(std::size_t first, std::size_t last) const {
    KeySegment all{.low = tally_.sums[first].least, .high = tally_.sums[last].greatest};
    for (std::size_t cell = 0; cell <= last; ++cell) {
      (cell < first ? all.below : all.count) += tally_.sums[cell].count;
    }
    return all;
  }

  const Superaccumulator& all() const { return below_.back(); }

  /// Sets the products between the ends if the pass tells them.
  void find_between(WeightedEnds& ends) const {
    kernels::SquareAccumulator products;
    const KeyGap gap{ends.low.key, ends.high.key};
    for (std::size_t cell = 0; gap.low < gap.high && cell < tally_.sums.size(); ++cell) {
      const WeightSum& sum = tally_.sums[cell];
      const bool is_apart = sum.count == 0 || sum.greatest <= gap.low || sum.least >= gap.high;
      if (is_apart) continue;
      const auto* const keys = tally_.keys_of(cell, cells_);
      if (keys == nullptr) return;
      add_between(*keys, gap, products);
    }
    ends.between = products;
    ends.has_between = true;
  }

 private:
  WeightTally& tally_;
  WeightCells cells_;
  std::vector<Superaccumulator> below_;  ///< the weights before each cell, and all
};

/// What is not known of the ends becomes segments, or one segment if its keys probably fit, so that
/// the numbers between the ends are found with them.
void find_ends(const WeightWindow& window, const CellSearch& search, std::int64_t max_count,
               WeightedEnds& ends, std::vector<KeySegment>& unknown) {
  const std::size_t high = search.cell_of(window.high());
  const std::size_t low = window.picks() ? high : search.cell_of(window.low());
  search.find(window.high(), high, ends.high);
  search.find(window.picks() ? window.high() : window.low(), low, ends.low);
  const KeySegment both = search.segment(low, high);
  if (!ends.low.is_found && !ends.high.is_found && both.count <= max_count) {
    return unknown.push_back(both);
  }
  if (!ends.low.is_found) unknown.push_back(search.segment(low, low));
  if (!ends.high.is_found) unknown.push_back(search.segment(high, high));
}

void take_products(const WeightRequest& last, const WeightTally& tally, WeightedEnds& ends) {
  const auto gap = std::ranges::find(last.gaps, KeyGap{ends.low.key, ends.high.key});
  if (gap == last.gaps.end() || !ends.are_found()) return;
  ends.between = tally.products[static_cast<std::size_t>(gap - last.gaps.begin())];
  ends.has_between = true;
}

}  // namespace

bool WeightedPasses::requested(const job::ReduceJob& job) {
  return job.weights && (wants(job, Operation::median) || wants(job, Operation::quantile));
}

bool WeightedPasses::has_answer(const Partial& all, const WeightedFindings& found) const {
  const bool has_nan_result = all.nans > 0 && job_.nan == job::NanPolicy::propagate;
  return !has_nan_result && !LongNumber::of(found.weights).is_zero();
}

WeightRequest WeightedPasses::first(const WeightedSample& sample, std::int64_t elements) const {
  return {.ranges = some_ranges(likely_segments(sample, sought_by(job_), elements), max_keys_),
          .squares = true,
          .max_keys = max_keys_};
}

std::optional<WeightRequest> WeightedPasses::next(const WeightRequest& last, WeightTally& tally,
                                                  const Partial& all,
                                                  OrderFindings& findings) const {
  const CellSearch search(last, tally);
  WeightedFindings& found = findings.weighted;
  found.weights = search.all();
  if (last.squares) found.squares = tally.squares;
  if (!has_answer(all, found)) return std::nullopt;
  const std::vector<WeightWindow> windows = windows_of(job_, found);
  found.ends.resize(windows.size());
  WeightRequest next{.max_keys = max_keys_};
  std::vector<KeySegment> unknown;
  const auto max_count = static_cast<std::int64_t>(max_keys_ / windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    WeightedEnds& ends = found.ends[i];
    take_products(last, tally, ends);
    find_ends(windows[i], search, max_count, ends, unknown);
    if (!ends.are_found() || ends.has_between) continue;
    search.find_between(ends);
    const KeyGap gap{ends.low.key, ends.high.key};
    const bool is_new = std::ranges::find(next.gaps, gap) == next.gaps.end();
    if (!ends.has_between && is_new) next.gaps.push_back(gap);
  }
  next.ranges = some_ranges(joined(std::move(unknown)), max_keys_);
  if (!next.any()) return std::nullopt;
  return next;
}

OrderFindings WeightedPasses::find_in(std::span<WeightedKey> keys, const Partial& counts) const {
  OrderFindings findings;
  WeightedFindings& found = findings.weighted;
  for (const WeightedKey& one : keys) {
    found.weights.add(one.weight);
    found.squares.add_product(one.weight, one.weight);
  }
  if (!has_answer(counts, found)) return findings;
  sort_weighted(keys);
  for (const WeightWindow& window : windows_of(job_, found)) {
    WeightedEnds& ends = found.ends.emplace_back();
    ends.high = find_place(window.high(), keys, {});
    ends.low = window.picks() ? ends.high : find_place(window.low(), keys, {});
    add_between(keys, {ends.low.key, ends.high.key}, ends.between);
  }
  return findings;
}

std::string WeightedPasses::plan_text(const WeightRequest& first, double array_bytes) const {
  constexpr auto kType = base::ElementType::f64;
  const NumberKeys numbers = number_keys(kType);
  const KeyRange& range = first.ranges.front();
  const bool takes_all =
      range.collects() && range.low == numbers.least && range.high == numbers.greatest;
  const std::size_t bounds = 2 * sought_by(job_).size();
  const auto turns = static_cast<int>(1 + (bounds - 1) / kMaxWeightRanges);
  // And one for the numbers between the ends of quantiles.
  const int most =
      1 + turns * max_passes(kType, std::min(bounds, kMaxWeightRanges), kMaxWeightBins);
  return reading_text(array_bytes, first.ranges, takes_all ? 1 : most);
}

std::vector<Value> weighted_answer(Operation operation, const job::ReduceJob& job,
                                   const WeightedFindings& found) {
  const std::size_t count = operation == Operation::median ? 1 : job.quantiles.size();
  std::vector<double> values(count, std::numeric_limits<double>::quiet_NaN());
  if (!found.ends.empty()) {
    const std::vector<WeightWindow> windows = windows_of(job, found);
    const std::size_t first = operation == Operation::median ? windows.size() - 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = windows[first + i].value(found.ends[first + i]);
    }
  }
  std::vector<Value> answers;
  for (const double value : values) answers.push_back({fmt::format("{}", value), value});
  return answers;
}

}  // namespace tessera::statistics
