#include "plan/device_race.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

/// Device 0 does an item in 1 s, device 1 in 10 s, both idle now, at 10 s.
DeviceRace measured() {
  DeviceRace race(2);
  race.begin(1, 0);
  for (int i = 0; i < 10; ++i) {
    race.begin(0, i);
    race.finish(0, i + 1);
  }
  race.finish(1, 10);
  return race;
}

TEST(DeviceRace, a_slow_device_does_not_begin_what_the_others_would_be_done_with_before) {
  const DeviceRace race = measured();
  EXPECT_FALSE(race.in_time(1, 9, 10, 10));
  EXPECT_TRUE(race.in_time(1, 10, 10, 10));
}

TEST(DeviceRace, a_slow_device_goes_on_while_the_job_lasts_longer_than_its_item) {
  const DeviceRace race = measured();
  EXPECT_TRUE(race.in_time(1, 1, 20, 10));
  EXPECT_FALSE(race.in_time(1, 1, 19, 10));
}

TEST(DeviceRace, the_soonest_device_is_always_in_time) {
  DeviceRace race = measured();
  EXPECT_TRUE(race.in_time(0, 1, 10, 10));
  for (int i = 0; i < 9; ++i) race.begin(0, 10);
  EXPECT_TRUE(race.in_time(0, 1, 10, 10));
  EXPECT_TRUE(race.in_time(1, 1, 10, 10));  // as soon as the other
}

TEST(DeviceRace, nobody_waits_for_what_is_not_measured_or_lost) {
  DeviceRace race(2);
  EXPECT_TRUE(race.in_time(0, 1, 0, 0));
  EXPECT_TRUE(race.in_time(1, 1, 0, 0));
  race = measured();
  race.lose(0);
  EXPECT_TRUE(race.in_time(1, 1, 10, 10));
}

TEST(DeviceRace, a_device_that_stands_still_is_waited_for_less_and_less) {
  DeviceRace race = measured();
  race.begin(0, 10);
  EXPECT_FALSE(race.in_time(1, 1, 10, 11));
  EXPECT_TRUE(race.in_time(1, 1, 10, 100));
}

}  // namespace
}  // namespace tessera::plan
