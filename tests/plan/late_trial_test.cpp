#include "plan/late_trial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tessera::plan {
namespace {

constexpr int kCores = 0;
constexpr int kLate = 1;

/// Items per second of one lane, alone and while the other side works too.
struct LaneSpeeds {
  std::array<double, 2> alone;
  std::array<double, 2> together;
};

/// Two cores and a late device with four lanes, which joins after a second.
class Simulation {
 public:
  explicit Simulation(const LaneSpeeds& speeds) : speeds_(speeds) {}

  /// Items that each side finishes until `until_s`.
  std::array<int, 2> run(double until_s) {
    std::array<int, 2> items{};
    for (; now_s_ < until_s; now_s_ += kTick) {
      for (Lane& lane : lanes_) {
        if (lane.device == kLate && now_s_ < 1) continue;
        if (!lane.busy && trial_.allows(lane.device)) {
          trial_.begin(lane.device, now_s_);
          lane = {lane.device, true, 0};
        }
        if (!lane.busy) continue;
        const auto d = static_cast<std::size_t>(lane.device);
        lane.done += kTick * (works(1 - lane.device) ? speeds_.together[d] : speeds_.alone[d]);
        if (lane.done < 1) continue;
        lane.busy = false;
        ++items[d];
        trial_.finish(lane.device, now_s_);
      }
    }
    return items;
  }
  int in_hand(int device) const {
    int count = 0;
    for (const Lane& lane : lanes_) count += lane.device == device && lane.busy ? 1 : 0;
    return count;
  }
  LateTrial& trial() { return trial_; }

 private:
  static constexpr double kTick = 1e-4;
  struct Lane {
    int device;
    bool busy = false;
    double done = 0;
  };
  bool works(int device) const { return in_hand(device) > 0; }

  LaneSpeeds speeds_;
  LateTrial trial_{kLate, 4};
  double now_s_ = 0;
  std::vector<Lane> lanes_{{kCores}, {kCores}, {kLate}, {kLate}, {kLate}, {kLate}};
};

TEST(LateTrial, a_fast_device_works_alone_once_it_is_there) {
  Simulation simulation({{10, 200}, {10, 200}});
  EXPECT_GT(simulation.run(1)[kCores], 15);
  simulation.run(2);
  const auto items = simulation.run(3);
  EXPECT_EQ(items[kCores], 0);
  EXPECT_GT(items[kLate], 700);
}

TEST(LateTrial, devices_that_do_not_disturb_each_other_work_together) {
  Simulation simulation({{40, 40}, {40, 40}});
  simulation.run(4);
  const auto items = simulation.run(5);
  EXPECT_GT(items[kCores], 60);
  EXPECT_GT(items[kLate], 140);
}

TEST(LateTrial, a_device_that_suffers_from_the_cores_works_alone) {
  Simulation simulation({{40, 60}, {20, 20}});
  simulation.run(4);
  const auto items = simulation.run(5);
  EXPECT_EQ(items[kCores], 0);
  EXPECT_GT(items[kLate], 200);
}

TEST(LateTrial, cores_that_suffer_from_a_slower_device_work_alone) {
  Simulation simulation({{100, 30}, {20, 10}});
  simulation.run(4);
  const auto items = simulation.run(5);
  EXPECT_GT(items[kCores], 150);
  EXPECT_EQ(items[kLate], 0);
}

TEST(LateTrial, a_slow_device_gets_one_item_and_does_not_stop_the_cores) {
  Simulation simulation({{100, 0.5}, {100, 0.5}});
  const auto items = simulation.run(2.5);
  EXPECT_GT(items[kCores], 480);
  EXPECT_EQ(simulation.in_hand(kLate), 1);
}

TEST(LateTrial, cores_of_an_eighth_of_its_speed_are_worth_a_try) {
  // Two cores against four lanes: 1/8 is 25 against 100.
  for (const auto& [cores, helped] : {std::pair{24.0, false}, std::pair{27.0, true}}) {
    Simulation simulation({{cores, 100}, {cores, 100}});
    simulation.run(3);
    EXPECT_EQ(simulation.run(4)[kCores] > 0, helped) << cores;
  }
}

TEST(LateTrial, when_a_device_is_lost_the_other_takes_everything) {
  Simulation simulation({{10, 200}, {10, 200}});
  simulation.run(2);
  EXPECT_FALSE(simulation.trial().allows(kCores));
  simulation.trial().lose();
  EXPECT_TRUE(simulation.trial().allows(kCores));
  EXPECT_TRUE(simulation.trial().allows(kLate));
}

}  // namespace
}  // namespace tessera::plan
