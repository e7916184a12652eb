#include "plan/pace.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

TEST(Pace, is_known_with_the_first_result) {
  Pace pace;
  EXPECT_EQ(pace.speed(0), 0);
  pace.grant(40, 4, 0);
  EXPECT_EQ(pace.speed(1), 0);
  pace.finish(10, 2);
  EXPECT_DOUBLE_EQ(pace.speed(2), 5);
  EXPECT_DOUBLE_EQ(pace.cost_in_hand(), 30);
}

TEST(Pace, time_without_work_does_not_count) {
  Pace pace;
  pace.grant(10, 1, 100);
  pace.finish(10, 101);
  EXPECT_DOUBLE_EQ(pace.speed(500), 10);
  pace.grant(10, 1, 500);
  pace.finish(10, 501);
  EXPECT_DOUBLE_EQ(pace.speed(501), 10);
}

TEST(Pace, falls_while_nothing_comes) {
  Pace pace;
  pace.grant(20, 2, 0);
  pace.finish(10, 1);
  EXPECT_DOUBLE_EQ(pace.speed(1), 10);
  EXPECT_DOUBLE_EQ(pace.speed(10), 1);
}

TEST(Pace, what_is_given_back_is_not_in_hand) {
  Pace pace;
  pace.grant(30, 3, 0);
  pace.give_back(20, 2, 1);
  EXPECT_EQ(pace.in_hand(), 1U);
  EXPECT_DOUBLE_EQ(pace.cost_in_hand(), 10);
}

TEST(Pace, of_long_ago_is_forgotten) {
  Pace pace;
  double now_s = 0;
  for (int i = 0; i < 10'000; ++i) {
    pace.grant(1, 1, now_s);
    now_s += i < 5000 ? 1 : 0.1;
    pace.finish(1, now_s);
  }
  EXPECT_NEAR(pace.speed(now_s), 10, 0.5);
}

}  // namespace
}  // namespace tessera::plan
