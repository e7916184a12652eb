#include "reduce/groups/group_passes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tessera::reduce {
namespace {

using statistics::GroupKey;

constexpr std::int64_t kAllElements = 1 << 30;
constexpr double kDisk = 1e15;

/// What `elements` elements of `groups` equally likely groups come to.
statistics::GroupPartials some_of(std::size_t groups, std::size_t elements, GroupKey step = 1) {
  std::mt19937_64 random(7);
  std::map<GroupKey, std::int64_t> counts;
  for (std::size_t i = 0; i < elements; ++i) ++counts[1000 + random() % groups * step];
  statistics::GroupPartials some;
  some.grow({.type = base::ElementType::i64}, counts.size());
  std::size_t g = 0;
  for (const auto& [key, count] : counts) {
    some.keys.push_back(key);
    some.elements[g++] = count;
  }
  return some;
}

/// With about 18 bytes on disk for each group.
PassPlan plan_for(const statistics::GroupPartials& some, const PassLimits& room) {
  return plan_passes(some, room, 18 * some.size());
}

TEST(GroupPasses, HaveRoomForTheirGroups) {
  // Of 100,000 groups, 40 % have been met.
  const PassPlan plan =
      plan_for(some_of(100'000, 50'000, 1 << 20), {.groups = 20'000, .elements = kAllElements});
  EXPECT_NEAR(static_cast<double>(plan.ends.size() + 1), 100'000 / (0.8 * 20'000), 1);
  EXPECT_NEAR(plan.stored_each, 0.79, 0.05);
  EXPECT_TRUE(std::ranges::is_sorted(plan.ends));
  GroupKey before = 0;
  for (const GroupKey end : plan.ends) {
    EXPECT_LE((end - before) >> 20, 20'000) << "groups of the pass";
    before = end;
  }
}

TEST(GroupPasses, OfDenseKeysHaveRoomForMore) {
  const auto some = some_of(100'000, 50'000);
  const PassLimits room{.groups = 20'000, .keys = 50'000, .elements = kAllElements};
  EXPECT_LE(plan_for(some, room).ends.size(), 3);
}

TEST(GroupPasses, HaveRoomForAccumulators) {
  statistics::GroupPartials some = some_of(100'000, 50'000, 1 << 20);
  const PassLimits room{.groups = 20'000, .elements = kAllElements, .bytes_each = 640};
  const std::size_t without = plan_for(some, room).ends.size() + 1;
  for (std::uint32_t g = 0; g < some.size(); ++g) some.sum.rest[g].add(1);
  const PassPlan plan = plan_for(some, room);
  EXPECT_NEAR(static_cast<double>(plan.ends.size() + 1), 2 * static_cast<double>(without), 1);
  EXPECT_NEAR(plan.stored_each, 2 * 0.79, 0.1);
}

TEST(GroupPasses, AreNotWorthManyReadingsOrSlowOnes) {
  // A group stored for each element, or for 20 of them.
  const auto far = some_of(100'000, 50'000);
  const auto near = some_of(100'000, 2'000'000);
  const PassLimits room{.groups = 20'000, .elements = kAllElements};
  EXPECT_FALSE(plan_for(far, room).is_slower_than_storing({1e-9, 1, kDisk}));
  EXPECT_TRUE(plan_for(far, room).is_slower_than_storing({100e-9, 1, kDisk}));
  EXPECT_FALSE(plan_for(far, room).is_slower_than_storing({100e-9, 16, kDisk})) << "many lanes";
  EXPECT_FALSE(plan_for(far, room).is_slower_than_storing({100e-9, 1, 1e9})) << "a small disk";
  EXPECT_TRUE(plan_for(near, room).is_slower_than_storing({1e-9, 1, kDisk}));
  EXPECT_TRUE(plan_for(far, {.groups = 100, .elements = kAllElements}).ends.empty());
}

TEST(GroupPasses, AreNotPlannedForWhatFitsOrIsNotKnown) {
  const PassLimits room{.groups = 200'000, .elements = kAllElements};
  EXPECT_TRUE(plan_for(some_of(100'000, 50'000), room).is_slower_than_storing({0, 1, kDisk}));
  EXPECT_TRUE(plan_for({}, room).is_slower_than_storing({0, 1, kDisk}));
  EXPECT_TRUE(plan_for(some_of(1, 50'000), {.elements = kAllElements})
                  .is_slower_than_storing({0, 1, kDisk}));
  // Each element has a group of its own: as many passes as the array needs.
  const auto own = some_of(std::size_t{1} << 60, 1000);
  const PassPlan plan = plan_for(own, {.groups = 1000, .elements = 8000});
  EXPECT_EQ(plan.ends.size() + 1, 10);
  EXPECT_EQ(plan.stored_each, 1);
}

}  // namespace
}  // namespace tessera::reduce
