#include "base/fault.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace tessera::base {
namespace {

std::vector<bool> calls(FaultPlan& plan, std::string_view point, int n) {
  std::vector<bool> fails;
  for (int i = 0; i < n; ++i) fails.push_back(plan.reached(point));
  return fails;
}

TEST(FaultPlan, of_nothing_never_fails) {
  FaultPlan plan("", 0);
  EXPECT_EQ(calls(plan, "device.kernel", 3), (std::vector<bool>{false, false, false}));
}

TEST(FaultPlan, counts_the_calls_of_each_point_by_itself) {
  FaultPlan plan("device.kernel@2, store.write@1", 0);
  EXPECT_EQ(calls(plan, "device.kernel", 3), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(calls(plan, "store.write", 2), (std::vector<bool>{true, false}));
  EXPECT_EQ(calls(plan, "device", 2), (std::vector<bool>{false, false}));
}

TEST(FaultPlan, a_plus_means_all_later_calls_too) {
  FaultPlan plan("p@2+", 0);
  EXPECT_EQ(calls(plan, "p", 4), (std::vector<bool>{false, true, true, true}));
}

TEST(FaultPlan, several_calls_of_one_point_can_fail) {
  FaultPlan plan("p@1,p@3", 0);
  EXPECT_EQ(calls(plan, "p", 4), (std::vector<bool>{true, false, true, false}));
}

TEST(FaultPlan, holds_for_the_rank_it_names) {
  FaultPlan mine("rank3:p@1", 3);
  FaultPlan not_mine("rank3:p@1,q@1", 0);
  EXPECT_TRUE(mine.reached("p"));
  EXPECT_FALSE(not_mine.reached("p"));
  EXPECT_TRUE(not_mine.reached("q"));
}

TEST(FaultPlan, fails_one_call_of_many_threads) {
  FaultPlan plan("p@1000", 0);
  std::atomic<int> fails = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) fails += plan.reached("p");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fails, 1);
}

TEST(FaultPlan, bad_syntax_is_a_usage_error_that_names_the_variable) {
  for (const char* text : {"p", "p@", "p@0", "p@-1", "p@1x", "@1", "host1:p@1", "rank:p@1",
                           "rankx:p@1", "rank-1:p@1", "p@1,,q@1", "p@+", "ra:p@1"}) {
    try {
      FaultPlan plan(text, 0);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_EQ(std::string(error.what()).find("TESSERA_FAULT: "), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace tessera::base
