// Reductions of groups on every device are those of the reference: all types, all operations, any
// keys, in one share or two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "device/group_reducer.hpp"
#include "device/groups/found_groups.hpp"
#include "parity_devices.hpp"
#include "tests/device/axis_cases.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

using statistics::GroupKey;
using statistics::GroupPartials;

struct Grouped {
  ElementType type = ElementType::f64;
  Elements elements;
  std::vector<GroupKey> keys;
};

statistics::GroupSpec spec_of(ElementType type, job::NanPolicy nan) {
  std::vector<job::Operation> operations = every_operation();
  std::erase_if(operations, [](job::Operation one) {
    return !job::row_of(one).along_axes || job::row_of(one).arrays == 2;
  });
  return {.spec = statistics::spec_of(type, operations, nan),
          .window = statistics::SumWindow::below(1025, 1 << 20)};
}

/// Sums and counts alone, which the cores add in another way.
statistics::GroupSpec sums_of(ElementType type, job::NanPolicy nan) {
  statistics::GroupSpec group_spec = spec_of(type, nan);
  const std::vector<job::Operation> sums{job::Operation::sum, job::Operation::mean};
  group_spec.spec = statistics::spec_of(type, sums, nan);
  return group_spec;
}

std::string describe_group(const statistics::Partial& one, const statistics::ReductionSpec& spec) {
  const auto nan = spec.skip_nan ? job::NanPolicy::skip : job::NanPolicy::propagate;
  if (spec.extremes) return describe(one, spec.type, nan);
  return fmt::format("{} elements, {} NaN, sum {}, mean {}", one.elements, one.nans,
                     statistics::answer(job::Operation::sum, one, spec, 0)[0].text,
                     statistics::answer(job::Operation::mean, one, spec, 0)[0].text);
}

/// A part of the elements by a reducer, sent: a run, and others whenever the groups are too many.
std::vector<GroupPartials> runs_of(GroupReducer& reducer, const Grouped& grouped,
                                   const GroupScope& scope, std::size_t first, std::size_t end) {
  std::vector<std::int64_t> places(end - first);
  std::iota(places.begin(), places.end(), static_cast<std::int64_t>(first));
  const std::size_t bytes = base::element_bytes(grouped.type);
  std::vector<GroupPartials> runs;
  for (std::size_t at = first; at < end;) {
    reducer.begin(scope);
    const std::size_t added =
        reducer.add(std::span(grouped.keys).subspan(at, end - at),
                    std::span(grouped.elements).subspan(at * bytes, (end - at) * bytes),
                    std::span(places).subspan(at - first));
    EXPECT_GT(added, 0);
    at += std::max<std::size_t>(1, added);
    const base::Bytes sent = base::to_bytes(reducer.finish());
    runs.push_back(base::from_bytes<GroupPartials>(sent));
  }
  return runs;
}

/// The same where there is room for all groups.
GroupPartials reduce_part(GroupReducer& reducer, const Grouped& grouped, const GroupScope& scope,
                          std::size_t first, std::size_t end) {
  const std::vector<GroupPartials> runs = runs_of(reducer, grouped, scope, first, end);
  EXPECT_EQ(runs.size(), 1);
  return runs.front();
}

GroupPartials merged(const std::vector<GroupPartials>& runs,
                     const statistics::GroupSpec& group_spec) {
  std::vector<const GroupPartials*> parts;
  for (const GroupPartials& run : runs) parts.push_back(&run);
  return statistics::merged(group_spec.spec, parts);
}

std::vector<std::string> describe_groups(const GroupPartials& all,
                                         const statistics::GroupSpec& group_spec) {
  std::vector<std::string> texts;
  for (std::size_t g = 0; g < all.size(); ++g) {
    texts.push_back(fmt::format("{}: {}", all.keys[g],
                                describe_group(all.partial(group_spec, g), group_spec.spec)));
  }
  return texts;
}

std::vector<std::string> reduce_groups(const std::string& device, const Grouped& grouped,
                                       const statistics::GroupSpec& group_spec,
                                       const GroupScope& scope, std::size_t shares) {
  const auto reducer = open_group_reducer(device_named(device), group_spec);
  GroupPartials all;
  const std::size_t count = grouped.keys.size();
  for (std::size_t share = 0; share < shares; ++share) {
    const GroupPartials part =
        reduce_part(*reducer, grouped, scope, count * share / shares, count * (share + 1) / shares);
    all = statistics::merged(group_spec.spec, all, part);
  }
  return describe_groups(all, group_spec);
}

void expect_group_parity(const std::string& device, const Grouped& grouped, const GroupScope& scope,
                         const std::string& what) {
  for (const auto nan : {job::NanPolicy::propagate, job::NanPolicy::skip}) {
    for (const auto& group_spec : {spec_of(grouped.type, nan), sums_of(grouped.type, nan)}) {
      const auto truth = reduce_groups("reference", grouped, group_spec, scope, 1);
      EXPECT_EQ(reduce_groups(device, grouped, group_spec, scope, 1), truth) << what;
      EXPECT_EQ(reduce_groups(device, grouped, group_spec, scope, 3), truth) << what << ", in 3";
      EXPECT_EQ(reduce_groups("reference", grouped, group_spec, scope, 2), truth) << what;
    }
  }
}

std::vector<GroupKey> random_keys(std::size_t count, GroupKey first, GroupKey range) {
  std::mt19937_64 random(17);
  std::vector<GroupKey> keys(count);
  std::ranges::generate(keys, [&] { return first + random() % range; });
  return keys;
}

using GroupParity = DeviceTest;

TEST_P(GroupParity, of_every_type) {
  constexpr std::size_t kCount = 5003;
  for (const ElementType type : kTypes) {
    const Grouped grouped{type, elements_of(type, kCount, 6), random_keys(kCount, 90, 40)};
    // The dense range has all keys, some, or none.
    for (const std::size_t dense : {std::size_t{200}, std::size_t{20}, std::size_t{0}}) {
      expect_group_parity(GetParam(), grouped,
                          {.dense_first = 80, .dense_count = dense, .max_groups = 1 << 20},
                          fmt::format("{}, {} dense keys", base::element_name(type), dense));
    }
  }
}

TEST_P(GroupParity, of_keys_in_runs) {
  constexpr std::size_t kCount = 5003;
  Grouped grouped{ElementType::f64, elements_of(ElementType::f64, kCount, 7), {}};
  for (const std::size_t run : {7, 15, 16, 17, 128, 1000}) {
    grouped.keys.resize(kCount);
    for (std::size_t i = 0; i < kCount; ++i) grouped.keys[i] = i / run % 40;
    expect_group_parity(GetParam(), grouped, {.dense_count = 40, .max_groups = 1 << 20},
                        fmt::format("runs of {}", run));
  }
}

TEST_P(GroupParity, of_keys_at_the_ends) {
  constexpr std::size_t kCount = 4000;
  Grouped grouped{ElementType::f64, elements_of(ElementType::f64, kCount, 8), {}};
  for (const GroupKey first :
       {GroupKey{0}, statistics::kLastKey - 2999, statistics::kLastKey / 2}) {
    grouped.keys = random_keys(kCount, first, 3000);
    expect_group_parity(GetParam(), grouped, {.max_groups = 1 << 20}, "all keys");
    expect_group_parity(GetParam(), grouped,
                        {.dense_first = first, .dense_count = 3000, .max_groups = 1 << 20},
                        "dense");
    expect_group_parity(GetParam(), grouped,
                        {.first = first + 100, .last = first + 2000, .max_groups = 1 << 20},
                        "some keys");
  }
}

/// Terms at both ends of the window of sums and beyond it, which cancel.
TEST_P(GroupParity, of_sums_that_are_hard) {
  std::mt19937_64 random(9);
  std::vector<double> values(6000);
  const statistics::SumWindow window = spec_of(ElementType::f64, {}).window;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int field = i % 3 == 0 ? window.first + static_cast<int>(random() % 4) - 2
                      : i % 3 == 1
                          ? window.first + window.count + static_cast<int>(random() % 4) - 2
                          : static_cast<int>(random() % 2046);
    const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, field - 1023);
    values[i] = i < 3000 ? x : -values[i - 3000 + (i % 7 == 0 ? 1 : 0)];
  }
  const auto bytes = std::as_bytes(std::span(values));
  const Grouped grouped{ElementType::f64, {bytes.begin(), bytes.end()}, random_keys(6000, 0, 9)};
  expect_group_parity(GetParam(), grouped, {.dense_count = 9, .max_groups = 1 << 20}, "hard");
  expect_group_parity(GetParam(), grouped, {.max_groups = 1 << 20}, "hard");
}

/// The runs together are the groups.
TEST_P(GroupParity, of_more_groups_than_there_is_room_for) {
  constexpr std::size_t kCount = 20000;
  const ElementType type = ElementType::i32;  // nothing of it is outside of a window
  const Grouped grouped{type, elements_of(type, kCount, 10), random_keys(kCount, 5, 6000)};
  const statistics::GroupSpec group_spec = spec_of(type, {});
  const auto truth = reduce_groups("reference", grouped, group_spec, {.max_groups = 1 << 24}, 1);
  const auto reducer = open_group_reducer(device_named(GetParam()), group_spec);
  for (const std::size_t dense : {std::size_t{0}, std::size_t{100}}) {
    const GroupScope scope{.dense_first = 5, .dense_count = dense, .max_groups = 2000};
    const std::vector<GroupPartials> runs = runs_of(*reducer, grouped, scope, 0, kCount);
    EXPECT_GT(runs.size(), 3);
    for (const GroupPartials& run : runs) {
      EXPECT_LE(run.size(), 2000 + 1024);  // a block more
      EXPECT_TRUE(std::ranges::is_sorted(run.keys));
    }
    EXPECT_EQ(describe_groups(merged(runs, group_spec), group_spec), truth);
  }
}

/// Some of the groups are those of the reference.
void expect_some_groups(const GroupPartials& got, const GroupPartials& wanted,
                        const statistics::GroupSpec& group_spec) {
  ASSERT_EQ(got.keys, wanted.keys);
  for (std::size_t g = 0; g < got.size(); g += 997) {
    EXPECT_EQ(describe_group(got.partial(group_spec, g), group_spec.spec),
              describe_group(wanted.partial(group_spec, g), group_spec.spec));
  }
}

TEST_P(GroupParity, end_where_accumulators_are_too_many) {
  // So many groups that elements wait; then the terms of some are outside of the window.
  constexpr std::size_t kGroups = 270000, kOutside = 30000;
  std::vector<double> x(kGroups, 1.5);
  x.resize(kGroups + kOutside, 0x1.8p-900);
  Grouped grouped{ElementType::f64, Elements(x.size() * sizeof(double)), {}};
  std::memcpy(grouped.elements.data(), x.data(), grouped.elements.size());
  for (std::size_t i = 0; i < x.size(); ++i) grouped.keys.push_back((i % kGroups) << 30);
  for (const auto& group_spec :
       {spec_of(grouped.type, job::NanPolicy::skip), sums_of(grouped.type, job::NanPolicy::skip)}) {
    const auto truth = open_group_reducer(device_named("reference"), group_spec);
    const auto wanted = reduce_part(*truth, grouped, {.max_groups = 1 << 28}, 0, x.size());
    const std::size_t bytes_each = GroupPartials::bytes_each(group_spec.spec);
    const std::size_t most = kGroups + (std::size_t{10} << 20) / bytes_each;
    const std::size_t more = 3000 * (FoundGroups::kMaxOutside + FoundGroups::kMaxKeys);
    const auto reducer = open_group_reducer(device_named(GetParam()), group_spec);
    const auto runs = runs_of(*reducer, grouped, {.max_groups = most}, 0, x.size());
    EXPECT_GT(runs.size(), 1);
    for (const GroupPartials& run : runs) {
      EXPECT_LE(run.size() * bytes_each + run.accumulator_bytes(), most * bytes_each + more);
    }
    expect_some_groups(merged(runs, group_spec), wanted, group_spec);
  }
}

TEST_P(GroupParity, of_so_many_groups_that_elements_wait) {
  constexpr std::size_t kCount = 300000;
  const ElementType type = ElementType::f32;
  for (const GroupKey range : {GroupKey{262144}, GroupKey{262145}}) {
    Grouped grouped{type, elements_of(type, kCount, 12), random_keys(kCount, 3, range)};
    for (GroupKey key = 0; key < range; ++key) grouped.keys[key] = 3 + (key * 7919) % range;
    for (const auto& group_spec :
         {spec_of(type, job::NanPolicy::skip), sums_of(type, job::NanPolicy::skip)}) {
      const auto reducer = open_group_reducer(device_named(GetParam()), group_spec);
      const auto truth = open_group_reducer(device_named("reference"), group_spec);
      const GroupPartials wanted = reduce_part(*truth, grouped, {.max_groups = 1 << 28}, 0, kCount);
      for (const std::size_t dense : {std::size_t{0}, static_cast<std::size_t>(range)}) {
        // Waiting elements are added once at the end, or now and then.
        for (const std::size_t waiting : {std::size_t{1} << 20, std::size_t{90000}}) {
          const GroupScope scope{.dense_first = 3,
                                 .dense_count = dense,
                                 .max_groups = 1 << 24,
                                 .max_waiting = waiting};
          expect_some_groups(reduce_part(*reducer, grouped, scope, 0, kCount), wanted, group_spec);
        }
      }
    }
  }
}

using statistics::GroupRequest;
using statistics::GroupTally;

/// `each`: elements of a call.
GroupTally tally_of(GroupReducer* reducer, const Grouped& grouped, const GroupRequest& request,
                    std::size_t each) {
  GroupTally tally(request);
  std::vector<std::int64_t> places(grouped.keys.size());
  std::iota(places.begin(), places.end(), 100);
  const std::span<const GroupKey> keys(grouped.keys);
  const std::span<const std::byte> elements(grouped.elements);
  const std::size_t bytes = base::element_bytes(grouped.type);
  for (std::size_t first = 0; first < keys.size(); first += each) {
    const std::size_t count = std::min(each, keys.size() - first);
    const auto some = elements.subspan(first * bytes, count * bytes);
    const auto at = std::span(places).subspan(first, count);
    if (reducer == nullptr) {
      tally.add(keys.subspan(first, count), some, grouped.type, at, request);
    } else {
      reducer->tally(keys.subspan(first, count), some, at, tally);
    }
  }
  if (reducer != nullptr) reducer->end_tally(tally);
  std::ranges::sort(tally.collected);
  for (statistics::KeyTally& group : tally.large) {
    for (statistics::RangeTally& range : group.ranges) std::ranges::sort(range.keys);
  }
  return tally;
}

/// One range in bins, one that is collected, and one of a single key.
std::vector<statistics::KeyRange> ranges_of(const statistics::NumberKeys& numbers) {
  const statistics::ElementKey each = (numbers.greatest - numbers.least) / 8;
  statistics::KeyRange bins{numbers.least + each, numbers.least + 4 * each, 0};
  while ((bins.high - bins.low) >> bins.shift >= 1000) ++bins.shift;
  return {bins,
          {numbers.least + 5 * each, numbers.least + 6 * each},
          {numbers.greatest, numbers.greatest, 0}};
}

/// The same tally as without the device, which may leave a part to the thread.
TEST_P(GroupParity, of_tallies_of_large_groups) {
  constexpr std::size_t kCount = 65536 + 17;
  const bool is_gpu = device_named(GetParam()).shuffles();
  for (const ElementType type : kTypes) {
    const Grouped grouped{type, elements_of(type, kCount, 13), random_keys(kCount, 90, 40)};
    GroupRequest request{.first = 95, .last = 100, .large = {91, 97, 120}};
    if (type == ElementType::u8) request.first = 200;  // none are collected
    const auto ranges = ranges_of(statistics::number_keys(type));
    request.requests = {{.ranges = ranges, .max_keys = 1 << 20},
                        {.ranges = {ranges[0]}, .top = 50, .top_nans = true, .max_keys = 1 << 20},
                        {.top = 3, .max_keys = 1 << 20}};
    const auto reducer = open_group_reducer(device_named(GetParam()), spec_of(type, {}));
    for (const std::size_t each : {std::size_t{9001}, kCount}) {
      ASSERT_EQ(reducer->begin_tally(request), is_gpu) << base::element_name(type);
      if (!is_gpu) break;
      const GroupTally got = tally_of(reducer.get(), grouped, request, each);
      const GroupTally truth = tally_of(nullptr, grouped, request, each);
      EXPECT_EQ(got.collected, truth.collected) << base::element_name(type);
      for (std::size_t i = 0; i < truth.large.size(); ++i) {
        EXPECT_EQ(base::to_bytes(got.large[i].ranges), base::to_bytes(truth.large[i].ranges))
            << base::element_name(type) << ", group " << request.large[i];
        EXPECT_EQ(base::to_bytes(got.large[i].top.sorted()),
                  base::to_bytes(truth.large[i].top.sorted()))
            << base::element_name(type) << ", group " << request.large[i];
      }
      // The same memory is used for groups in between.
      const Grouped others{type, elements_of(type, 999, 14), random_keys(999, 0, 9)};
      const GroupScope scope{.dense_count = 9, .max_groups = 1 << 20};
      const statistics::GroupSpec group_spec = spec_of(type, {});
      EXPECT_EQ(describe_groups(reduce_part(*reducer, others, scope, 0, 999), group_spec),
                reduce_groups("reference", others, group_spec, scope, 1));
    }
  }
}

TEST_P(GroupParity, leaves_counts_of_values_and_small_groups_to_the_cores) {
  const auto reducer = open_group_reducer(device_named(GetParam()), spec_of(ElementType::i64, {}));
  EXPECT_FALSE(reducer->begin_tally({.first = 0, .last = 9}));
  EXPECT_FALSE(reducer->begin_tally({.large = {7}, .requests = {{.values = true}}}));
}

INSTANTIATE_TEST_SUITE_P(Devices, GroupParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
