#include "plan/device_trial.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tessera::plan {
namespace {

/// Items per second of two devices, together and alone.
struct Speeds {
  std::array<double, 2> together;
  std::array<double, 2> alone;
};

/// What is chosen after the devices have worked for `seconds`, and how many items each finished.
struct Outcome {
  int chosen = -1;
  std::array<int, 2> items{};
};

Outcome run(const Speeds& speeds, double seconds) {
  constexpr double kTick = 1e-3;
  DeviceTrial trial(2);
  Outcome outcome;
  std::array<bool, 2> busy{};
  std::array<double, 2> done{};  // fraction of the item in hand
  for (double now_s = 0; now_s < seconds; now_s += kTick) {
    for (int device = 0; device < 2; ++device) {
      const auto d = static_cast<std::size_t>(device);
      if (!busy[d] && trial.allows(device)) {
        trial.begin(device);
        busy[d] = true;
        done[d] = 0;
      }
      if (!busy[d]) continue;
      done[d] += kTick * (busy[1 - d] ? speeds.together[d] : speeds.alone[d]);
      if (done[d] < 1) continue;
      busy[d] = false;
      ++outcome.items[d];
      trial.finish(device, now_s);
    }
  }
  outcome.chosen = trial.chosen();
  return outcome;
}

TEST(DeviceTrial, devices_that_do_not_disturb_each_other_work_together) {
  EXPECT_EQ(run({{100, 80}, {100, 80}}, 2).chosen, -1);
}

TEST(DeviceTrial, of_devices_that_share_a_bottleneck_the_fastest_works_alone) {
  EXPECT_EQ(run({{60, 40}, {120, 50}}, 2).chosen, 0);
  EXPECT_EQ(run({{40, 60}, {50, 120}}, 2).chosen, 1);
  EXPECT_EQ(run({{60, 50}, {105, 100}}, 2).chosen, -1);
}

TEST(DeviceTrial, a_very_slow_device_takes_few_items) {
  const Outcome outcome = run({{100, 1}, {120, 1}}, 10);
  EXPECT_EQ(outcome.chosen, 0);
  EXPECT_LE(outcome.items[1], 2);
}

TEST(DeviceTrial, a_way_is_measured_by_eight_items_and_a_fifth_of_a_second) {
  DeviceTrial trial(2);
  const auto make = [&](int device, double now_s) {
    trial.begin(device);
    trial.finish(device, now_s);
  };
  make(0, 0);
  make(1, 1);  // measured from now on
  for (int item = 1; item <= DeviceTrial::kMinItems - 1; ++item) make(0, 1 + item);
  EXPECT_FALSE(trial.is_alone());
  make(0, 9);
  EXPECT_TRUE(trial.is_alone());
  EXPECT_TRUE(trial.allows(0));
  EXPECT_FALSE(trial.allows(1));
  make(0, 10);
  for (int item = 1; item <= 2 * DeviceTrial::kMinItems; ++item) {
    make(0, 10 + 0.9 * DeviceTrial::kSeconds * item / (2 * DeviceTrial::kMinItems));
  }
  EXPECT_EQ(trial.chosen(), -1);
  make(0, 10 + 1.1 * DeviceTrial::kSeconds);
  EXPECT_EQ(trial.chosen(), 0);
}

TEST(DeviceTrial, the_choice_lasts) {
  const Outcome outcome = run({{60, 40}, {120, 50}}, 10);
  EXPECT_GT(outcome.items[0], 1000);
  EXPECT_LT(outcome.items[1], 60);
}

TEST(DeviceTrial, all_devices_may_take_over_for_one_that_is_lost) {
  DeviceTrial trial(2);
  for (int i = 0; i < 40; ++i) {
    for (int device = 0; device < 2; ++device) {
      if (!trial.allows(device)) continue;
      trial.begin(device);
      trial.finish(device, 0.05 * i);
    }
  }
  trial.lose();
  EXPECT_TRUE(trial.allows(0));
  EXPECT_TRUE(trial.allows(1));
  EXPECT_EQ(trial.chosen(), -1);
}

}  // namespace
}  // namespace tessera::plan
