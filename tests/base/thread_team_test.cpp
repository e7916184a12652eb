#include "base/thread_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>

namespace tessera::base {
namespace {

TEST(ThreadTeam, each_member_works_once_a_round) {
  ThreadTeam team(4);
  std::array<std::atomic<int>, 4> calls{};
  for (int round = 0; round < 200; ++round) {
    const int members = 1 + round % 4;
    team.run(members, [&](int member) { ++calls[static_cast<std::size_t>(member)]; });
  }
  EXPECT_EQ(calls[0], 200);
  EXPECT_EQ(calls[1], 150);
  EXPECT_EQ(calls[2], 100);
  EXPECT_EQ(calls[3], 50);
}

TEST(ThreadTeam, the_caller_is_the_first_member) {
  ThreadTeam team(2);
  const auto caller = std::this_thread::get_id();
  std::array<std::thread::id, 2> ids;
  team.run(2,
           [&](int member) { ids[static_cast<std::size_t>(member)] = std::this_thread::get_id(); });
  EXPECT_EQ(ids[0], caller);
  EXPECT_NE(ids[1], caller);
}

TEST(ThreadTeam, throws_what_a_member_threw_and_works_on) {
  ThreadTeam team(3);
  for (const int thrower : {0, 2}) {
    EXPECT_THROW(team.run(3,
                          [&](int member) {
                            if (member == thrower) throw std::runtime_error("tired");
                          }),
                 std::runtime_error);
  }
  std::atomic<int> calls = 0;
  team.run(3, [&](int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(ThreadTeam, has_one_member_at_least) {
  ThreadTeam team(0);
  EXPECT_EQ(team.size(), 1);
  int calls = 0;
  team.run(1, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tessera::base
