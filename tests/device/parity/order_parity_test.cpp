// Tallies of keys on every device are those of the reference: all types, any request, sizes around
// the ends of blocks and vectors.
#include <gtest/gtest.h>

#include <algorithm>

#include "parity_devices.hpp"
#include "real_elements.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

using statistics::ElementKey;
using statistics::KeyRange;
using statistics::KeyRequest;
using statistics::KeyTally;

KeyTally tallied(Reducer& reducer, const Elements& elements, ElementType type,
                 const KeyRequest& request) {
  KeyTally tally(request);
  const std::size_t half = elements.size() / 2 / base::element_bytes(type);
  const std::size_t bytes = half * base::element_bytes(type);
  const std::span<const std::byte> all(elements);
  reducer.tally(all.first(bytes), {.of = [](std::int64_t i) { return i; }}, request, tally);
  reducer.tally(all.subspan(bytes),
                {.of = [half](std::int64_t i) { return static_cast<std::int64_t>(half) + i; }},
                request, tally);
  return tally;
}

void expect_equal_ranges(KeyTally& got, KeyTally& truth, const std::string& what) {
  for (std::size_t i = 0; i < truth.ranges.size(); ++i) {
    statistics::RangeTally &a = got.ranges[i], &b = truth.ranges[i];
    std::ranges::sort(a.keys);
    std::ranges::sort(b.keys);
    EXPECT_EQ(std::tie(a.below, a.inside, a.at_low, a.at_high),
              std::tie(b.below, b.inside, b.at_low, b.at_high))
        << what << ", range " << i;
    EXPECT_EQ(a.bins, b.bins) << what << ", range " << i;
    EXPECT_EQ(a.keys, b.keys) << what << ", range " << i;
  }
}

using Entries = std::vector<std::tuple<ElementKey, std::int64_t>>;

Entries sorted_entries(const KeyTally& tally) {
  Entries entries;
  for (const auto& [key, count] : tally.values.entries()) entries.emplace_back(key, count);
  std::ranges::sort(entries);
  return entries;
}

Entries sorted_top(const KeyTally& tally) {
  Entries entries;
  for (const auto& element : tally.top.sorted()) entries.emplace_back(element.order, element.index);
  return entries;
}

void expect_tally_parity(const std::string& device, ElementType type, const Elements& elements,
                         const KeyRequest& request, const std::string& what) {
  const auto reducer = open_reducer(device, {.type = type});
  KeyTally truth = tallied(*open_reducer("reference", {.type = type}), elements, type, request);
  KeyTally got = tallied(*reducer, elements, type, request);
  expect_equal_ranges(got, truth, what);
  EXPECT_EQ(sorted_entries(got), sorted_entries(truth)) << what;
  EXPECT_EQ(sorted_top(got), sorted_top(truth)) << what;
}

/// Ranges with the elements' own keys as ends, collected, and in bins.
std::vector<KeyRange> ranges_in(const Elements& elements, ElementType type, bool collects) {
  const statistics::NumberKeys numbers = statistics::number_keys(type);
  std::vector<ElementKey> keys;
  statistics::for_each_key(elements, type, [&](ElementKey key) {
    if (numbers.contain(key)) keys.push_back(key);
  });
  std::ranges::sort(keys);
  if (keys.size() < 8)
    return {{numbers.least, numbers.greatest, collects ? -1 : statistics::key_bits(type) - 1}};
  const auto at = [&](std::size_t eighths) { return keys[keys.size() * eighths / 8]; };
  std::vector<KeyRange> ranges = {{at(1), at(2)}};
  if (at(4) > at(2)) ranges.push_back({at(4), at(4), 0});
  if (at(5) > at(4)) ranges.push_back({at(5), numbers.greatest});
  for (KeyRange& range : ranges) {
    if (collects) continue;
    range.shift = 0;
    while ((range.high - range.low) >> range.shift >= 1000) ++range.shift;
  }
  return ranges;
}

using OrderParity = DeviceTest;

TEST_P(OrderParity, of_any_bits_of_every_type) {
  for (const ElementType type : kTypes) {
    for (const std::size_t count : {0, 1, 7, 17, 255, 4095, 4096, 4097, 20011}) {
      const Elements elements = any_bits(type, count, count);
      const std::string what = fmt::format("{} of {}", count, base::element_name(type));
      for (const bool collects : {false, true}) {
        KeyRequest request{.max_keys = 1 << 20};
        request.ranges = ranges_in(elements, type, collects);
        // The cores count all keys of narrow types.
        if (statistics::key_bits(type) <= 16) {
          for (KeyRange& range : request.ranges) range.shift = std::max(range.shift, 0);
        }
        expect_tally_parity(GetParam(), type, elements, request, what);
      }
    }
  }
}

TEST_P(OrderParity, of_values_and_the_largest) {
  for (const ElementType type : kTypes) {
    for (const std::size_t count : {0, 1, 300, 4096, 20011}) {
      const Elements elements = any_bits(type, count, count + 1);
      const std::string what = fmt::format("{} of {}", count, base::element_name(type));
      for (const std::int64_t top : {1, 5, 5000}) {
        for (const bool nans : {false, true}) {
          expect_tally_parity(GetParam(), type, elements,
                              {.values = !base::is_floating(type),
                               .values_from = top == 5 ? ElementKey{100} : 0,
                               .top = top,
                               .top_nans = nans,
                               .max_keys = 1 << 20},
                              what);
        }
      }
    }
  }
}

TEST_P(OrderParity, of_many_ties_and_signed_zeros) {
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32}) {
    Elements elements = any_bits(type, 9001, 3);
    base::with_element_type(type, [&]<class T>(T) {
      T* const x = reinterpret_cast<T*>(elements.data());
      for (std::size_t i = 0; i < 9001; ++i) {
        x[i] = static_cast<T>(static_cast<int>(i * i % 5) - 2);
        if (x[i] == T{0} && i % 3 == 0) x[i] = -x[i];
      }
    });
    for (const bool collects : {false, true}) {
      KeyRequest request{.values = !base::is_floating(type), .top = 40, .max_keys = 1 << 20};
      request.ranges = ranges_in(elements, type, collects);
      expect_tally_parity(GetParam(), type, elements, request, "ties");
    }
  }
}

TEST_P(OrderParity, of_more_keys_than_a_tally_may_hold) {
  const Elements elements = any_bits(ElementType::u64, 9001, 3);
  const KeyRequest request{
      .ranges = {{0, ~ElementKey{0} >> 1}, {~ElementKey{0} / 3 * 2, ~ElementKey{0}}},
      .max_keys = 1000};
  const auto reducer = open_reducer(GetParam(), {.type = ElementType::u64});
  const KeyTally tally = tallied(*reducer, elements, ElementType::u64, request);
  for (const statistics::RangeTally& range : tally.ranges) {
    EXPECT_GT(range.inside, 1000);
    EXPECT_FALSE(range.complete());
    EXPECT_LE(range.keys.size(), 1000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OrderParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
