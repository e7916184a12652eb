#include "device/gpu/arrays/order/key_launches.hpp"

#include <algorithm>

#include "device/gpu/arrays/stream/launch_arguments.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::TS_U32;
using kernels::TS_U64;
using statistics::ElementKey;
using statistics::KeyRange;
using statistics::RangeTally;
using statistics::TopElement;

constexpr std::size_t kCountBytes = TS_KEYS_COUNTS * sizeof(TS_U32);
/// So many of the largest elements are listed without a search.
// crossed by: of_values_and_the_largest
constexpr std::int64_t kFewLargest = 4096;

/// In as many bins as a block counts in its own memory.
KeyRange in_bins(ElementKey low, ElementKey high) {
  KeyRange range{low, high, 0};
  while ((high - low) >> range.shift >= TS_BLOCK_BINS) ++range.shift;
  return range;
}

}  // namespace

KeyLimits room_of(const statistics::KeyRequest& request) {
  KeyLimits room;
  std::size_t bins = request.top > 0 ? TS_BLOCK_BINS : 0;
  for (const KeyRange& range : request.ranges) {
    bins = std::max(bins, range.bins());
    if (range.collects()) room.bytes_each = sizeof(TS_U64);
  }
  if (request.top > 0 || request.values) room.bytes_each = 2 * sizeof(TS_U64);
  if (request.values) room.bytes_each += value_slots(1) * sizeof(kernels::TsValueSlot);
  room.bytes = aligned(kCountBytes + bins * sizeof(TS_U32)) + TS_VECTOR_BYTES;
  return room;
}

KeyLaunches::KeyLaunches(ArrayStream& stream, base::ElementType type, std::int64_t elements,
                         std::size_t to)
    : stream_(stream),
      type_(type),
      numbers_(statistics::number_keys(type)),
      elements_(elements),
      to_(to) {}

std::span<const TS_U32> KeyLaunches::launch(std::uint32_t what, const KeyRange& range, bool nans) {
  kernels::TsKeys call{};
  call.elements = static_cast<TS_U64>(elements_);
  call.low = range.low;
  call.high = range.high;
  call.least = numbers_.least;
  call.greatest = numbers_.greatest;
  call.zero = statistics::zero_key(type_);
  call.to = to_;
  call.type = type_of(type_);
  call.what = what;
  call.shift = static_cast<TS_U32>(std::max(range.shift, 0));
  call.bins = static_cast<TS_U32>(range.bins());
  call.nans = nans ? 1 : 0;
  counts_.resize(TS_KEYS_COUNTS + range.bins());
  const auto bytes = std::as_writable_bytes(std::span(counts_));
  stream_.clear(to_, aligned(bytes.size()));
  stream_.enqueue(kernels::ArrayKernel::keys, blocks_of_elements(call.elements), call);
  stream_.copy_out(to_, bytes);
  return counts_;
}

std::span<const TS_U64> KeyLaunches::read_list(std::size_t words) {
  list_.resize(words);
  if (words > 0) stream_.copy_out(to_ + kCountBytes, std::as_writable_bytes(std::span(list_)));
  return list_;
}

void KeyLaunches::tally_range(const KeyRange& range, std::uint64_t max_keys, RangeTally& tally) {
  const bool collects = range.collects();
  const std::span<const TS_U32> counts =
      launch(collects ? TS_KEYS_COLLECTED : TS_KEYS_COUNTED, range);
  tally.below += counts[TS_KEYS_BELOW];
  if (!collects) {
    for (std::size_t bin = 0; bin < tally.bins.size(); ++bin) {
      tally.bins[bin] += counts[TS_KEYS_COUNTS + bin];
      tally.inside += counts[TS_KEYS_COUNTS + bin];
    }
    return;
  }
  const TS_U32 listed = counts[TS_KEYS_LISTED];
  const bool keeps = tally.complete() && tally.keys.size() + listed <= max_keys;
  tally.at_low += counts[TS_KEYS_AT_LOW];
  tally.at_high += counts[TS_KEYS_AT_HIGH];
  tally.inside += std::int64_t{counts[TS_KEYS_AT_LOW]} + counts[TS_KEYS_AT_HIGH] + listed;
  if (!keeps) {
    tally.keys = {};
    return;
  }
  const std::span<const TS_U64> keys = read_list(listed);
  tally.keys.insert(tally.keys.end(), keys.begin(), keys.end());
}

ElementKey KeyLaunches::key_below_largest(std::int64_t count) {
  KeyRange range{numbers_.least, numbers_.greatest, 0};
  if (elements_ <= kFewLargest) return range.low;
  while (true) {
    range = in_bins(range.low, range.high);
    const std::span<const TS_U32> bins = launch(TS_KEYS_COUNTED, range).subspan(TS_KEYS_COUNTS);
    std::size_t bin = bins.size() - 1;
    for (; bin > 0 && bins[bin] < count; --bin) count -= bins[bin];
    const ElementKey low = range.low + (ElementKey{bin} << range.shift);
    if (range.shift == 0 || bins[bin] <= kFewLargest) return low;
    range = {low, std::min(range.high, low + ((ElementKey{1} << range.shift) - 1)), 0};
  }
}

void KeyLaunches::tally_top(const statistics::Indexing& indexing, bool nans,
                            statistics::TopElements& top, std::int64_t count) {
  const ElementKey low = std::max(top.min_order(), key_below_largest(count));
  const TS_U32 listed = launch(TS_KEYS_LARGEST, {low, numbers_.greatest}, nans)[TS_KEYS_LISTED];
  const std::span<const TS_U64> list = read_list(2 * std::size_t{listed});
  for (std::size_t i = 0; i < list.size(); i += 2) {
    const ElementKey order = numbers_.contain(list[i])
                                 ? statistics::unsigned_zero_key(list[i], type_)
                                 : TopElement::kNan;
    top.add({order, indexing.of(static_cast<std::int64_t>(list[i + 1])), list[i]});
  }
}

void KeyLaunches::tally_values(ElementKey from, statistics::ValueCounts& values) {
  if (elements_ == 0) return;
  const auto elements = static_cast<std::size_t>(elements_);
  const std::size_t list_bytes = kCountBytes + elements * 2 * sizeof(TS_U64);
  kernels::TsValues call{};
  call.elements_each = elements;
  call.to = to_;
  call.tables_at = to_ + list_bytes;
  call.least = from;
  call.greatest = values.last();
  call.slots = static_cast<TS_U32>(value_slots(elements));
  call.tables = 1;
  call.splits = static_cast<TS_U32>(blocks_of_table(elements));
  call.type = type_of(type_);
  stream_.clear(to_, list_bytes + call.slots * sizeof(kernels::TsValueSlot));
  for (const TS_U32 what : {TS_VALUES_COUNTED, TS_VALUES_LISTED}) {
    call.what = what;
    stream_.enqueue(kernels::ArrayKernel::values, call.splits, call);
  }
  counts_.resize(TS_KEYS_COUNTS);
  stream_.copy_out(to_, std::as_writable_bytes(std::span(counts_)));
  const std::span<const TS_U64> list = read_list(2 * std::size_t{counts_[TS_KEYS_LISTED]});
  for (std::size_t i = 0; i < list.size(); i += 2) {
    values.add(list[i], static_cast<std::int64_t>(list[i + 1]));
  }
}

void KeyLaunches::tally(const statistics::Indexing& indexing, const statistics::KeyRequest& request,
                        statistics::KeyTally& tally) {
  for (std::size_t i = 0; i < request.ranges.size(); ++i) {
    tally_range(request.ranges[i], request.max_keys, tally.ranges[i]);
  }
  if (request.top > 0) tally_top(indexing, request.top_nans, tally.top, request.top);
  if (request.values) tally_values(request.values_from, tally.values);
  tally.bound(request.max_keys);
}

}  // namespace tessera::device::gpu
