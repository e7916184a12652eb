// Launches stay short, whatever the speed of the device.
#include "device/gpu/pixels/launch_pacer.hpp"

#include <gtest/gtest.h>

namespace tessera::device::gpu {
namespace {

TEST(LaunchPacer, takes_whole_rows_of_blocks_or_parts_of_one) {
  const LaunchPacer pacer(1e9);  // 10^8 steps a launch
  EXPECT_EQ(pacer.launch_px({512, 100}, 1000), (base::ImageSize{512, 100}));
  EXPECT_EQ(pacer.launch_px({512, 512}, 1000), (base::ImageSize{512, 192}));
  EXPECT_EQ(pacer.launch_px({512, 512}, 50'000), (base::ImageSize{120, 16}));
  EXPECT_EQ(pacer.launch_px({512, 3}, 50'000), (base::ImageSize{120, 3}));
  EXPECT_EQ(pacer.launch_px({512, 512}, 4'000'000'000U), (base::ImageSize{8, 16}));
  EXPECT_EQ(pacer.launch_px({5, 5}, 4'000'000'000U), (base::ImageSize{5, 5}));
}

TEST(LaunchPacer, grows_with_the_speed_that_it_sees) {
  LaunchPacer pacer(1e9);
  pacer.learn(2'000'000'000, 1e-3);
  EXPECT_EQ(pacer.launch_px({512, 512}, 1'000'000), (base::ImageSize{512, 384}));
}

TEST(LaunchPacer, shrinks_when_launches_take_too_long_and_not_for_overhead) {
  LaunchPacer pacer(1e9);
  for (int i = 0; i < 100; ++i) pacer.learn(10, 0.01);
  EXPECT_EQ(pacer.launch_px({512, 512}, 1000).height, 192);
  pacer.learn(400'000'000, 0.4);
  EXPECT_EQ(pacer.launch_px({512, 512}, 1000).height, 96);
  for (int i = 0; i < 100; ++i) pacer.learn(1, 10.0);
  EXPECT_EQ(pacer.launch_px({512, 512}, 1000).height, 16);
}

TEST(LaunchPacer, cuts_orbits_so_that_a_launch_stays_short) {
  EXPECT_FALSE(LaunchPacer::cuts(1U << 20));
  EXPECT_TRUE(LaunchPacer::cuts((1U << 20) + 1));
  LaunchPacer pacer(1e9);  // 10^8 steps a launch
  EXPECT_EQ(pacer.cut(10'000), 10'000U);
  EXPECT_EQ(pacer.cut(1'000'000), 96U);
  EXPECT_EQ(pacer.cut(1), 1'000'000U);  // as fast as one orbit is
  EXPECT_EQ(pacer.cut(std::uint64_t{1} << 32), 16U);
}

TEST(LaunchPacer, cuts_less_often_what_it_sees_to_be_fast_and_more_often_what_is_slow) {
  LaunchPacer pacer(1e9);
  pacer.learn_cut(400'000'000, 10'000, true, 0.1);
  EXPECT_EQ(pacer.cut(10'000), 40'000U);
  EXPECT_EQ(pacer.cut(1), 1'000'000U);
  pacer.learn_cut(5'000'000, 5'000'000, false, 0.1);  // it may have ended early
  EXPECT_EQ(pacer.cut(1), 1'000'000U);
  pacer.learn_cut(5'000'000, 5'000'000, true, 0.1);
  EXPECT_EQ(pacer.cut(1), 5'000'000U);
  pacer.learn_cut(5'000'000, 5'000'000, true, 0.3);
  EXPECT_EQ(pacer.cut(1), 2'500'000U);
  EXPECT_EQ(pacer.cut(10'000), 20'000U);
}

TEST(LaunchPacer, never_takes_an_orbit_for_faster_because_a_launch_was_slow) {
  LaunchPacer pacer(LaunchPacer::kPreciseStepsPerSecond, LaunchPacer::kPreciseOrbitStepsPerSecond);
  EXPECT_EQ(pacer.cut(1), 192U);
  pacer.learn_cut(192, 192, true, 0.3);
  EXPECT_EQ(pacer.cut(1), 192U);
}

TEST(LaunchPacer, has_what_other_lanes_have_learnt_meanwhile) {
  LaunchPacer pacer(1e9);
  const CutSpeeds before = pacer.cut_speeds();
  CutSpeeds after = before;
  after.learn(200'000'000, 10'000, false, 0.1);
  pacer.learn_cut(400'000'000, 10'000, false, 0.1);  // another lane
  pacer.learn_cut(before, after);
  EXPECT_EQ(pacer.cut(10'000), 40'000U);
}

TEST(LaunchPacer, cuts_orbits_on_a_cpu_too) {
  LaunchPacer pacer(LaunchPacer::kCpuStepsPerSecond);
  EXPECT_EQ(pacer.cut(1'000'000), 2'000U);
  pacer.learn_cut(2'000'000'000, 2'000, true, 2.0);
  EXPECT_EQ(pacer.cut(1'000'000), 992U);
}

TEST(LaunchPacer, leaves_a_cpu_alone) {
  LaunchPacer pacer(LaunchPacer::kCpuStepsPerSecond);
  pacer.learn(1'000, 10.0);
  EXPECT_EQ(pacer.launch_px({16384, 16384}, 1'000'000), (base::ImageSize{16384, 6096}));
}

}  // namespace
}  // namespace tessera::device::gpu
