#include "statistics/order/key_tally.hpp"

#include <algorithm>
#include <functional>

namespace tessera::statistics {

namespace {

void add_to_range(ElementKey key, const KeyRange& range, RangeTally& tally) {
  if (key < range.low) ++tally.below;
  if (!range.contains(key)) return;
  ++tally.inside;
  if (!range.collects()) {
    ++tally.bins[static_cast<std::size_t>((key - range.low) >> range.shift)];
  } else if (key == range.low) {
    ++tally.at_low;
  } else if (key == range.high) {
    ++tally.at_high;
  } else {
    tally.keys.push_back(key);
  }
}

}  // namespace

void RangeTally::merge(const RangeTally& other) {
  const bool keeps = complete() && other.complete();
  below += other.below;
  inside += other.inside;
  at_low += other.at_low;
  at_high += other.at_high;
  std::ranges::transform(bins, other.bins, bins.begin(), std::plus());
  if (keeps) {
    keys.insert(keys.end(), other.keys.begin(), other.keys.end());
  } else {
    keys = {};
  }
}

KeyTally::KeyTally(const KeyRequest& request)
    : ranges(request.ranges.size()), values(request.max_values()), top(request.top) {
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].bins.resize(request.ranges[i].bins());
}

void KeyTally::add(ElementKey key, const KeyRequest& request) {
  for (std::size_t i = 0; i < ranges.size(); ++i) add_to_range(key, request.ranges[i], ranges[i]);
  if (request.values && key >= request.values_from) values.add(key);
}

void KeyTally::merge(const KeyTally& other, const KeyRequest& request) {
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].merge(other.ranges[i]);
  bound(request.max_keys);
  values.merge(other.values);
  top.merge(other.top);
}

void KeyTally::bound(std::uint64_t max_keys) {
  const auto size = [](const RangeTally& range) { return range.keys.size(); };
  std::uint64_t all = 0;
  for (const RangeTally& range : ranges) all += size(range);
  while (all > max_keys) {
    RangeTally& fullest = *std::ranges::max_element(ranges, {}, size);
    all -= size(fullest);
    fullest.keys = {};
  }
}

}  // namespace tessera::statistics
