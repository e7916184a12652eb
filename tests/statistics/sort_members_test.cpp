// Elements of groups are sorted as by comparing their groups, however many there are and wherever
// the groups lie.
#include "statistics/order/sort_members.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tessera::statistics {
namespace {

std::vector<GroupMember> random_members(std::size_t count, GroupKey first, GroupKey last,
                                        std::mt19937_64& random) {
  std::uniform_int_distribution<GroupKey> group(first, last);
  std::vector<GroupMember> members(count);
  for (std::size_t i = 0; i < count; ++i) {
    members[i] = {group(random), static_cast<std::int64_t>(i), random()};
  }
  return members;
}

void expect_sorted(std::vector<GroupMember> members) {
  std::vector<GroupMember> wanted = members;
  std::ranges::stable_sort(wanted, {}, &GroupMember::group);
  sort_members(members);
  EXPECT_EQ(members == wanted, true) << members.size();
}

TEST(SortMembers, IsAsByComparingGroups) {
  constexpr GroupKey kLast = ~GroupKey{0};
  std::mt19937_64 random(7);
  for (const std::size_t count : {0, 1, 4095, 4096, 4097, 30000}) {
    for (const auto& [first, last] : {std::pair<GroupKey, GroupKey>{5, 5},
                                      {0, 2047},
                                      {1000, 1000 + 2048},
                                      {0, 1 << 22},
                                      {kLast - 9, kLast},
                                      {0, kLast}}) {
      expect_sorted(random_members(count, first, last, random));
    }
  }
}

}  // namespace
}  // namespace tessera::statistics
