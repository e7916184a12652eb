#include "view/cpu_throttle.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cmath>
#include <sstream>
#include <string>
#include <thread>

#include "tests/hang.hpp"

namespace tessera::view {
namespace {

using std::chrono::seconds;
using Clock = CpuThrottle::Clock;

constexpr seconds kNone{0};

/// Other processes that use so many cores.
class Others {
 public:
  explicit Others(double cores) : cores_(cores) {}
  CpuThrottle throttle(int cores) {
    return CpuThrottle(cores, [this] { return used_s_; });
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

TEST(CpuThrottle, work_is_one_percent_of_busy_cores) {
  Others others(2);
  CpuThrottle throttle = others.throttle(2);
  throttle.take(0.1, others.after(0));
  EXPECT_EQ(throttle.pause(others.after(0)), seconds(5));
  EXPECT_EQ(throttle.pause(others.after(1)), seconds(4));
  EXPECT_EQ(throttle.pause(others.after(1)), seconds(3));
  EXPECT_EQ(throttle.pause(others.after(4)), kNone);
}

TEST(CpuThrottle, idle_cores_cost_nothing) {
  Others others(0.1);
  CpuThrottle throttle = others.throttle(2);
  throttle.pause(others.after(0));
  throttle.take(0, others.after(1));
  throttle.take(0.1, others.after(1));
  EXPECT_EQ(throttle.pause(others.after(0)), kNone);
}

TEST(CpuThrottle, a_run_on_half_of_the_cores_is_not_disturbed) {
  Others others(2);
  CpuThrottle throttle = others.throttle(4);
  throttle.take(0, others.after(1));
  throttle.take(0.1, others.after(1));
  EXPECT_GT(throttle.pause(others.after(0)), seconds(2));
}

TEST(CpuThrottle, work_of_all_threads_adds_up) {
  Others others(4);
  CpuThrottle throttle = others.throttle(4);
  throttle.take(0.1, others.after(0));
  throttle.take(0.1, others.after(0));
  EXPECT_EQ(throttle.pause(others.after(0)), seconds(5));
}

TEST(CpuThrottle, a_pause_ends_when_the_others_do) {
  Others others(2);
  CpuThrottle throttle = others.throttle(2);
  throttle.take(0.1, others.after(0));
  EXPECT_GT(throttle.pause(others.after(1)), kNone);
  others.use(0);
  EXPECT_EQ(throttle.pause(others.after(1)), kNone);
}

TEST(CpuThrottle, a_pause_is_bounded) {
  Others others(2);
  CpuThrottle throttle = others.throttle(2);
  throttle.take(100, others.after(0));
  EXPECT_EQ(throttle.pause(others.after(0)), seconds(10));
}

TEST(CpuThrottle, use_that_is_unknown_counts_as_busy) {
  CpuThrottle throttle(2, [] { return std::nan(""); });
  const auto now = Clock::now();
  throttle.take(0.1, now);
  EXPECT_EQ(throttle.pause(now + seconds(1)), seconds(4));
}

TEST(CpuThrottle, the_work_of_a_thread_is_its_own) {
  const double process = process_seconds(), thread = thread_seconds();
  const auto end = Clock::now() + kHang;
  while (thread_seconds() < thread + 0.01 && Clock::now() < end) continue;
  EXPECT_GE(thread_seconds(), thread + 0.01);
  EXPECT_GE(process_seconds(), process + 0.01);
}

/// On `cpus`, with 100 ticks per second.
double others_of(const std::string& text, const std::vector<int>& cpus, double own_s) {
  std::istringstream statistics(text);
  return others_seconds(statistics, cpus, 100, own_s);
}

const std::string kStatistics =
    "cpu  9999 9999 9999 9999 9999 9999 9999 9999 0 0\n"
    "cpu0 100 20 3 50000 6000 40 5 700 80 9\n"
    "cpu1 9000 0 0 50000 0 0 0 0 0 0\n"
    "cpu10 400 0 0 50000 0 0 0 0 0 0\n"
    "intr 5 5 5\n"
    "cpu11 1 1 1 1 1 1 1 1 1 1\n";

TEST(CpuThrottle, others_work_on_the_allowed_cpus_without_waiting_and_guests) {
  EXPECT_DOUBLE_EQ(others_of(kStatistics, {0}, 0), 8.68);
  EXPECT_DOUBLE_EQ(others_of(kStatistics, {0, 10}, 0), 12.68);
  EXPECT_DOUBLE_EQ(others_of(kStatistics, {0, 1, 10}, 0), 102.68);
}

TEST(CpuThrottle, the_work_of_this_process_is_not_of_others) {
  EXPECT_DOUBLE_EQ(others_of(kStatistics, {10}, 1.5), 2.5);
}

TEST(CpuThrottle, a_cpu_without_a_line_is_unknown) {
  EXPECT_TRUE(std::isnan(others_of(kStatistics, {0, 2}, 0)));
  EXPECT_TRUE(std::isnan(others_of(kStatistics, {11}, 0)));  // behind the CPUs
  EXPECT_TRUE(std::isnan(others_of("cpu  1 1 1 1 1 1 1 1\ncpu0 1 1 1\n", {0}, 0)));
  EXPECT_TRUE(std::isnan(others_of(kStatistics, {}, 0)));
  EXPECT_TRUE(std::isnan(others_of("", {0}, 0)));
}

TEST(CpuThrottle, a_bound_thread_has_the_cpus_that_it_is_bound_to) {
  const std::vector<int> all = allowed_cpus();
  ASSERT_FALSE(all.empty());
  std::vector<int> bound;
  std::thread([&] {
    cpu_set_t last;
    CPU_ZERO(&last);
    CPU_SET(all.back(), &last);
    if (sched_setaffinity(0, sizeof last, &last) == 0) bound = allowed_cpus();
  }).join();
  EXPECT_EQ(bound, std::vector{all.back()});
}

}  // namespace
}  // namespace tessera::view
