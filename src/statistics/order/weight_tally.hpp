// Findings of a pass over pairs of numbers and weights, for weighted quantiles: exact sums of the
// weights of all numbers, by parts of their keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/exact/superaccumulator.hpp"
#include "statistics/order/key_tally.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// A number, as the key of an f64, and its weight, which is positive.
struct WeightedKey {
  ElementKey key = 0;
  double weight = 0;
};

/// visit(number of the pair, x, weight) with each pair of f64, one behind the other, that counts:
/// not with a NaN, nor with a weight of 0.
template <class Visit>
void for_each_weighted(std::span<const std::byte> pairs, const Visit& visit) {
  for (std::size_t i = 0; i < pairs.size() / (2 * sizeof(double)); ++i) {
    std::array<double, 2> pair;
    std::memcpy(pair.data(), &pairs[i * sizeof pair], sizeof pair);
    if (pair[0] == pair[0] && pair[1] > 0) visit(i, pair[0], pair[1]);
  }
}

/// Adds a pair that counts to `keys`. `counts`: of elements and NaN.
void add_weighted(double x, double weight, Partial& counts, std::vector<WeightedKey>& keys);

/// The numbers of a cell together. Its ends are keys that occur, so that one key is known however
/// wide the cell is.
struct WeightSum {
  std::int64_t count = 0;
  ElementKey least = std::numeric_limits<ElementKey>::max();
  ElementKey greatest = 0;
  kernels::Superaccumulator weights;

  bool is_one_key() const { return least == greatest; }
  void add(const WeightedKey& one) {
    ++count;
    least = std::min(least, one.key);
    greatest = std::max(greatest, one.key);
    weights.add(one.weight);
  }
  void merge(const WeightSum& other);
  /// Without the limbs that are 0: a tally has thousands of sums.
  void write(base::ByteWriter& to) const;
  static WeightSum read(base::ByteReader& from);
};

/// The keys between two others.
struct KeyGap {
  ElementKey low = 0;
  ElementKey high = 0;
  friend bool operator==(const KeyGap&, const KeyGap&) = default;
};

/// The same on all ranks.
struct WeightRequest {
  std::vector<KeyRange> ranges;  ///< disjoint and ascending
  std::vector<KeyGap> gaps;      ///< whose numbers times their weights are added up
  bool squares = false;          ///< adds up the squares of all weights
  std::uint64_t max_keys = 0;    ///< bound of what is collected; more is dropped

  bool any() const { return !ranges.empty() || !gaps.empty(); }
  static auto members(auto& self) {
    return std::tie(self.ranges, self.gaps, self.squares, self.max_keys);
  }
};

/// The cells into which ranges divide the keys, in ascending order: what lies before a range; its
/// bins, or, of one that is collected, its least key, those between and its greatest key; and what
/// lies behind the last one.
class WeightCells {
 public:
  explicit WeightCells(std::span<const KeyRange> ranges);

  std::size_t count() const { return firsts_.back(); }
  std::size_t cell_of(ElementKey key) const;
  /// The range whose keys between its ends are this cell, if it is collected; or kNone.
  std::size_t collected_by(std::size_t cell) const { return collected_by_[cell]; }
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

 private:
  std::span<const KeyRange> ranges_;
  std::vector<std::size_t> firsts_;  ///< cells of the ranges, and the end of all
  std::vector<std::size_t> collected_by_;
};

struct WeightTally {
  WeightTally() = default;
  explicit WeightTally(const WeightRequest& request);

  /// Pairs of f64, one behind the other.
  void add(std::span<const std::byte> pairs, const WeightRequest& request);
  void add(const WeightedKey& one, const WeightCells& cells, const WeightRequest& request);
  /// `other` answers the same request. Drops keys if there are more than the request allows.
  void merge(const WeightTally& other, const WeightRequest& request);
  /// The keys of a cell, if it is collected and none was dropped; or null.
  const std::vector<WeightedKey>* keys_of(std::size_t cell, const WeightCells& cells) const;

  std::vector<WeightSum> sums;                       ///< of the cells
  std::vector<std::vector<WeightedKey>> keys;        ///< of ranges that are collected
  std::vector<kernels::SquareAccumulator> products;  ///< of the gaps
  kernels::SquareAccumulator squares;

  void write(base::ByteWriter& to) const;
  void read(base::ByteReader& from);

 private:
  void bound(const WeightRequest& request);
};

/// A number among all in ascending order.
struct WeightPlace {
  bool is_found = false;
  ElementKey key = 0;
  kernels::Superaccumulator below;  ///< the weights of all numbers below it
  kernels::Superaccumulator up_to;  ///< with its own
};

/// The numbers between which a weighted quantile lies, and what its value depends on.
struct WeightedEnds {
  WeightPlace low, high;
  bool has_between = false;
  kernels::SquareAccumulator between;  ///< numbers between both times their weights

  bool are_found() const { return low.is_found && high.is_found; }
};

/// Of all weighted quantiles; without ends if they have no answer.
struct WeightedFindings {
  kernels::Superaccumulator weights;
  kernels::SquareAccumulator squares;  ///< of the weights
  std::vector<WeightedEnds> ends;      ///< that of the median last

  static auto members(auto& self) { return std::tie(self.weights, self.squares, self.ends); }
};

}  // namespace tessera::statistics
