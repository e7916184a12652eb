// Finds the elements with given ranks among the sorted elements of an array, by passes that narrow
// ranges of keys. Pure: knows tallies, not arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "statistics/order/key_tally.hpp"

namespace tessera::statistics {

/// Runs of neighbouring elements from all over an array, as keys without NaN.
using KeySample = std::vector<std::vector<ElementKey>>;

/// All elements with keys in [low, high]; `below` elements come before them.
struct KeySegment {
  ElementKey low = 0;
  ElementKey high = 0;
  std::int64_t below = 0;
  std::int64_t count = 0;
};

/// Bins of all ranges of a pass together; each slice returns all counts.
// crossed by: FindsRanksOfAnyKeysInAnyMemory
inline constexpr std::size_t kMaxKeyBins = 65536;

/// Ascending; segments that touch become one.
std::vector<KeySegment> joined(std::vector<KeySegment> segments);

/// The ranges for a pass over the segments: a segment is collected if its elements fit into its
/// part of `max_keys`, and otherwise counted in bins.
std::vector<KeyRange> ranges_of(std::span<const KeySegment> segments, std::uint64_t max_keys,
                                std::size_t max_bins = kMaxKeyBins);

/// The segments of the keys between `numbers` that probably hold the quantiles `fractions` of an
/// array of `elements`; the counts are estimates. Five standard deviations wide on each side, which
/// come from the differences of neighbouring runs.
std::vector<KeySegment> likely_segments(const KeySample& sample, std::span<const double> fractions,
                                        std::int64_t elements, const NumberKeys& numbers);

/// The answer of a pass about a rank: the key, or else the segment that contains it.
struct Located {
  std::optional<ElementKey> key;
  KeySegment segment;
};

/// `elements`: all that are not NaN. Reorders the keys of the tally.
Located locate(std::int64_t rank, std::span<const KeyRange> ranges, std::span<RangeTally> tallies,
               std::int64_t elements, const NumberKeys& numbers);

/// Passes that a search takes at most, the first one included.
int max_passes(base::ElementType type, std::size_t ranks, std::size_t max_bins = kMaxKeyBins);

/// How often an array is probably read by passes of which these are the ranges of the first one,
/// and at most, for a message.
std::string reading_text(double array_bytes, std::span<const KeyRange> first, int most);

}  // namespace tessera::statistics
