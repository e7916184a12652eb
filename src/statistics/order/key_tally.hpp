// Findings of a pass over an array about the keys of its elements, for order statistics.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "statistics/order/element_key.hpp"
#include "statistics/order/top_elements.hpp"
#include "statistics/order/value_counts.hpp"

namespace tessera::statistics {

/// The elements with keys in [low, high].
struct KeyRange {
  ElementKey low = 0;
  ElementKey high = 0;
  /// They are counted in bins of 2^shift keys, or else collected.
  int shift = kCollect;
  static constexpr int kCollect = -1;

  bool contains(ElementKey key) const { return key >= low && key <= high; }
  bool collects() const { return shift == kCollect; }
  std::size_t bins() const {
    return collects() ? 0 : static_cast<std::size_t>((high - low) >> shift) + 1;
  }
};

/// The same on all ranks.
struct KeyRequest {
  std::vector<KeyRange> ranges;  ///< disjoint and ascending
  bool values = false;           ///< counts each value from this one on
  ElementKey values_from = 0;
  std::int64_t top = 0;  ///< so many of the largest elements
  bool top_nans = false;
  std::uint64_t max_keys = 0;  ///< bound of what is collected; more is dropped

  bool any() const { return !ranges.empty() || values || top > 0; }
  /// Values that a table of ValueCounts holds: an entry takes the place of four keys.
  std::size_t max_values() const { return static_cast<std::size_t>(max_keys / 4); }

  static auto members(auto& self) {
    return std::tie(self.ranges, self.values, self.values_from, self.top, self.top_nans,
                    self.max_keys);
  }
};

/// The elements below a range and those in it. The keys are complete as long as there are
/// between() of them.
struct RangeTally {
  std::int64_t below = 0;
  std::int64_t inside = 0;
  // Elements whose keys are the ends of a range that is collected.
  std::int64_t at_low = 0;
  std::int64_t at_high = 0;  ///< 0 if both ends are equal
  std::vector<std::int64_t> bins;
  std::vector<ElementKey> keys;  ///< between the ends, in no order

  std::int64_t between() const { return inside - at_low - at_high; }
  bool complete() const { return static_cast<std::int64_t>(keys.size()) == between(); }
  void merge(const RangeTally& other);

  static auto members(auto& self) {
    return std::tie(self.below, self.inside, self.at_low, self.at_high, self.bins, self.keys);
  }
};

struct KeyTally {
  KeyTally() = default;
  explicit KeyTally(const KeyRequest& request);

  /// Adds an element that is not NaN, except to `top`.
  void add(ElementKey key, const KeyRequest& request);
  /// `other` answers the same request. Drops keys if there are more than the request allows.
  void merge(const KeyTally& other, const KeyRequest& request);
  /// Drops the keys of the fullest ranges until there are at most so many.
  void bound(std::uint64_t max_keys);

  std::vector<RangeTally> ranges;  ///< ranges of the request
  ValueCounts values;
  TopElements top;

  static auto members(auto& self) { return std::tie(self.ranges, self.values, self.top); }
};

}  // namespace tessera::statistics
