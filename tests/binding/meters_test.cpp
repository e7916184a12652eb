#include "binding/meters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace tessera::binding {
namespace {

/// Adds 5 J with each reading; the reading of number `hangs`, from 1, ends only with end().
class TestMeter : public base::Meter {
 public:
  TestMeter(std::atomic<int>& readings, int hangs) : readings_(readings), hangs_(hangs) {}

  base::Reading read() override {
    const int number = ++readings_;
    std::unique_lock lock(mutex_);
    if (number == hangs_) changed_.wait(lock, [this] { return ended_; });
    base::Reading reading{.energy_j = 5.0 * number};
    reading[base::Measure::power] = 100;
    return reading;
  }
  void end() override {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  std::atomic<int>& readings_;
  int hangs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

void wait_for(const std::atomic<int>& readings, int number) {
  while (readings < number) std::this_thread::yield();
}

TEST(Meters, read_once_more_for_a_report) {
  std::atomic<int> readings = 0;
  Meters meters(base::Clock::now());
  meters.add("cuda:0", "0000:17:00.0", std::make_unique<TestMeter>(readings, 0));
  wait_for(readings, 2);  // the first one has been noted
  const auto reports = meters.report(true, false);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].device, "cuda:0");
  EXPECT_EQ(reports[0].address, "0000:17:00.0");
  EXPECT_GE(reports[0].energy_j, 5);
  EXPECT_TRUE(reports[0].samples.empty());
  EXPECT_FALSE(meters.report(false, true)[0].samples.empty());
  EXPECT_EQ(meters.power_w(), 100);
}

TEST(Meters, are_not_waited_for_when_they_hang) {
  std::atomic<int> silent = 0;
  std::atomic<int> readings = 0;
  Meters meters(base::Clock::now());
  meters.add("cuda:0", "0000:17:00.0", std::make_unique<TestMeter>(silent, 1));
  meters.add("cuda:1", "0000:18:00.0", std::make_unique<TestMeter>(readings, 0));
  wait_for(silent, 1);
  wait_for(readings, 2);
  const auto reports = meters.report(true, false);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_FALSE(base::is_told(reports[0].energy_j));
  EXPECT_GE(reports[1].energy_j, 5);
}

TEST(Meters, keep_what_one_told_before_it_hangs) {
  std::atomic<int> readings = 0;
  Meters meters(base::Clock::now());
  meters.add("cuda:0", "0000:17:00.0", std::make_unique<TestMeter>(readings, 3));
  wait_for(readings, 3);
  EXPECT_EQ(meters.report(true, false)[0].energy_j, 5);
}

TEST(Meters, are_none_without_hardware_that_tells) {
  Meters meters(base::Clock::now());
  meters.add("opencl:0", "", nullptr);
  EXPECT_TRUE(meters.report(true, true).empty());
  EXPECT_FALSE(base::is_told(meters.power_w()));
}

}  // namespace
}  // namespace tessera::binding
