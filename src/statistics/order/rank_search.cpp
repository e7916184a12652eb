#include "statistics/order/rank_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace tessera::statistics {

namespace {

constexpr double kDeviations = 5;

std::size_t bins_for_each(std::size_t ranges, std::size_t max_bins = kMaxKeyBins) {
  return std::bit_floor(max_bins / std::max<std::size_t>(1, ranges));
}

KeyRange binned(const KeySegment& segment, std::size_t bins) {
  KeyRange range{segment.low, segment.high, 0};
  while ((range.high - range.low) >> range.shift >= bins) ++range.shift;
  return range;
}

double below_in(std::span<const ElementKey> run, ElementKey key) {
  const auto below = std::ranges::count_if(run, [key](ElementKey x) { return x < key; });
  return static_cast<double>(below) / static_cast<double>(run.size());
}

/// The variance of the fraction of elements below `key`, from the differences of neighbouring runs:
/// runs come from strata of the array, so this is the usual estimate for a systematic sample.
double variance_below(const KeySample& sample, ElementKey key) {
  double squares = 0;
  double last = -1;
  std::size_t runs = 0;
  for (const auto& run : sample) {
    if (run.empty()) continue;
    const double below = below_in(run, key);
    if (runs++ > 0) squares += (below - last) * (below - last);
    last = below;
  }
  const auto n = static_cast<double>(runs);
  return runs < 2 ? 1 : squares / (2 * n * (n - 1));
}

std::vector<ElementKey> sorted_keys(const KeySample& sample) {
  std::vector<ElementKey> keys;
  for (const auto& run : sample) keys.insert(keys.end(), run.begin(), run.end());
  std::ranges::sort(keys);
  return keys;
}

/// Positions in the sorted sample between which the quantile lies; -1 and its size are the ends of
/// the keys.
struct Positions {
  std::int64_t low, high;
};

Positions positions_of(double fraction, const KeySample& sample,
                       std::span<const ElementKey> sorted) {
  const auto size = static_cast<double>(sorted.size());
  const auto last = static_cast<std::int64_t>(sorted.size()) - 1;
  const auto at = std::min(last, static_cast<std::int64_t>(fraction * size));
  const double variance = std::max(fraction * (1 - fraction) / size,
                                   variance_below(sample, sorted[static_cast<std::size_t>(at)]));
  const double spread = kDeviations * std::sqrt(variance) * size + 2;
  return {
      std::max<std::int64_t>(-1, static_cast<std::int64_t>(std::floor(fraction * size - spread))),
      std::min(last + 1, static_cast<std::int64_t>(std::ceil(fraction * size + spread)))};
}

KeySegment bin_with(std::int64_t rank, const KeyRange& range, const RangeTally& tally) {
  std::int64_t below = tally.below;
  std::size_t bin = 0;
  while (rank >= below + tally.bins[bin]) below += tally.bins[bin++];
  const ElementKey low = range.low + (ElementKey{bin} << range.shift);
  const ElementKey high = low + ((ElementKey{1} << range.shift) - 1);
  return {low, std::min(high, range.high), below, tally.bins[bin]};
}

Located inside(std::int64_t rank, const KeyRange& range, RangeTally& tally) {
  if (!range.collects()) {
    const KeySegment segment = bin_with(rank, range, tally);
    if (segment.low == segment.high) return {segment.low, {}};
    return {{}, segment};
  }
  const std::int64_t place = rank - tally.below - tally.at_low;
  if (place < 0) return {range.low, {}};
  if (place >= tally.between()) return {range.high, {}};
  if (!tally.complete()) {
    return {{}, {range.low + 1, range.high - 1, tally.below + tally.at_low, tally.between()}};
  }
  const auto at = tally.keys.begin() + place;
  std::ranges::nth_element(tally.keys, at);
  return {*at, {}};
}

}  // namespace

std::vector<KeySegment> joined(std::vector<KeySegment> segments) {
  std::ranges::sort(segments, {}, &KeySegment::low);
  std::vector<KeySegment> apart;
  for (const KeySegment& next : segments) {
    if (apart.empty() || next.low > apart.back().high) {
      apart.push_back(next);
      continue;
    }
    KeySegment& last = apart.back();
    last.high = std::max(last.high, next.high);
    last.count = std::max(last.below + last.count, next.below + next.count) - last.below;
  }
  return apart;
}

std::vector<KeyRange> ranges_of(std::span<const KeySegment> segments, std::uint64_t max_keys,
                                std::size_t max_bins) {
  const std::uint64_t max_each = max_keys / std::max<std::size_t>(1, segments.size());
  const std::size_t bins = bins_for_each(segments.size(), max_bins);
  std::vector<KeyRange> ranges;
  for (const KeySegment& segment : segments) {
    const bool fits = static_cast<std::uint64_t>(segment.count) <= max_each;
    const bool one = segment.low == segment.high;
    ranges.push_back(fits && !one ? KeyRange{segment.low, segment.high} : binned(segment, bins));
  }
  return ranges;
}

std::vector<KeySegment> likely_segments(const KeySample& sample, std::span<const double> fractions,
                                        std::int64_t elements, const NumberKeys& numbers) {
  const std::vector<ElementKey> sorted = sorted_keys(sample);
  std::vector<KeySegment> segments;
  if (sorted.empty()) return {{numbers.least, numbers.greatest, 0, elements}};
  const auto size = static_cast<std::int64_t>(sorted.size());
  const double each = static_cast<double>(elements) / static_cast<double>(size);
  for (const double fraction : fractions) {
    const Positions at = positions_of(fraction, sample, sorted);
    const ElementKey low = at.low < 0 ? numbers.least : sorted[static_cast<std::size_t>(at.low)];
    const ElementKey high =
        at.high >= size ? numbers.greatest : sorted[static_cast<std::size_t>(at.high)];
    const auto below = static_cast<std::int64_t>(static_cast<double>(at.low + 1) * each);
    const auto up_to = static_cast<std::int64_t>(static_cast<double>(at.high) * each);
    segments.push_back({low, high, below, up_to - below});
  }
  return joined(std::move(segments));
}

Located locate(std::int64_t rank, std::span<const KeyRange> ranges, std::span<RangeTally> tallies,
               std::int64_t elements, const NumberKeys& numbers) {
  KeySegment gap{numbers.least, numbers.greatest, 0, elements};  // behind the ranges so far
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    RangeTally& tally = tallies[i];
    if (rank < tally.below) {
      return {{}, {gap.low, ranges[i].low - 1, gap.below, tally.below - gap.below}};
    }
    if (rank < tally.below + tally.inside) return inside(rank, ranges[i], tally);
    gap.low = ranges[i].high + 1;
    gap.below = tally.below + tally.inside;
  }
  gap.count = elements - gap.below;
  return {{}, gap};
}

int max_passes(base::ElementType type, std::size_t ranks, std::size_t max_bins) {
  const int bits = key_bits(type);
  if (bits <= 16) return 1;
  const int each = static_cast<int>(std::bit_width(bins_for_each(ranks, max_bins))) - 1;
  return 1 + (bits + each - 1) / each;
}

std::string reading_text(double array_bytes, std::span<const KeyRange> first, int most) {
  const bool counts = std::ranges::any_of(
      first, [](const KeyRange& range) { return !range.collects() && range.shift > 0; });
  std::string text = fmt::format("the array, {}, is read {}", base::format_bytes(array_bytes),
                                 counts ? "twice" : "once");
  if (most > 1) text += fmt::format(" (up to {} times in unlucky cases)", most);
  return text;
}

}  // namespace tessera::statistics
