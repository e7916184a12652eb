#include "view/allowance.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace tessera::view {
namespace {

using std::chrono::seconds;
using Clock = Allowance::Clock;

constexpr seconds kNone{0};

/// Other processes that use so many cores.
class Others {
 public:
  explicit Others(double cores) : cores_(cores) {}
  Allowance allowance(int cores) {
    return Allowance(cores, [this] { return used_s_; });
  }
  Clock::time_point after(double time) {
    used_s_ += cores_ * time;
    return now_ = base::later(now_, time);
  }
  void use(double cores) { cores_ = cores; }

 private:
  double cores_;
  double used_s_ = 1000;
  Clock::time_point now_ = Clock::now();
};

TEST(Allowance, work_is_one_percent_of_busy_cores) {
  Others others(2);
  Allowance allowance = others.allowance(2);
  allowance.take(0.1, others.after(0));
  EXPECT_EQ(allowance.pause(others.after(0)), seconds(5));
  EXPECT_EQ(allowance.pause(others.after(1)), seconds(4));
  EXPECT_EQ(allowance.pause(others.after(1)), seconds(3));
  EXPECT_EQ(allowance.pause(others.after(4)), kNone);
}

TEST(Allowance, idle_cores_cost_nothing) {
  Others others(0.1);
  Allowance allowance = others.allowance(2);
  allowance.pause(others.after(0));
  allowance.take(0, others.after(1));
  allowance.take(0.1, others.after(1));
  EXPECT_EQ(allowance.pause(others.after(0)), kNone);
}

TEST(Allowance, a_run_on_half_of_the_cores_is_not_disturbed) {
  Others others(2);
  Allowance allowance = others.allowance(4);
  allowance.take(0, others.after(1));
  allowance.take(0.1, others.after(1));
  EXPECT_GT(allowance.pause(others.after(0)), seconds(2));
}

TEST(Allowance, work_of_all_threads_adds_up) {
  Others others(4);
  Allowance allowance = others.allowance(4);
  allowance.take(0.1, others.after(0));
  allowance.take(0.1, others.after(0));
  EXPECT_EQ(allowance.pause(others.after(0)), seconds(5));
}

TEST(Allowance, a_pause_ends_when_the_others_do) {
  Others others(2);
  Allowance allowance = others.allowance(2);
  allowance.take(0.1, others.after(0));
  EXPECT_GT(allowance.pause(others.after(1)), kNone);
  others.use(0);
  EXPECT_EQ(allowance.pause(others.after(1)), kNone);
}

TEST(Allowance, a_pause_is_bounded) {
  Others others(2);
  Allowance allowance = others.allowance(2);
  allowance.take(100, others.after(0));
  EXPECT_EQ(allowance.pause(others.after(0)), seconds(10));
}

TEST(Allowance, use_that_is_unknown_counts_as_busy) {
  Allowance allowance(2, [] { return std::nan(""); });
  const auto now = Clock::now();
  allowance.take(0.1, now);
  EXPECT_EQ(allowance.pause(now + seconds(1)), seconds(4));
}

TEST(Allowance, the_work_of_a_thread_is_its_own_and_not_of_others) {
  const double thread = thread_seconds(), process = process_seconds(), others = others_seconds();
  const auto end = Clock::now() + seconds(10);
  while (thread_seconds() < thread + 0.01 && Clock::now() < end) continue;
  EXPECT_GE(thread_seconds(), thread + 0.01);
  EXPECT_GE(process_seconds(), process + 0.01);
  EXPECT_FALSE(others_seconds() < others - 0.5);  // ticks of 10 ms on each core
}

}  // namespace
}  // namespace tessera::view
