#include "device/threads.hpp"

#include <gtest/gtest.h>

namespace tessera::device {
namespace {

TEST(Threads, PlacementOverrides) {
  EXPECT_EQ(cpu_threads({0, 4, 7}, {16, 16}), 7);
}

TEST(Threads, AloneOnTheNodeTakesAllThatTheMaskAllows) {
  EXPECT_EQ(cpu_threads({0, 1, 0}, {16, 16}), 16);
  EXPECT_EQ(cpu_threads({0, 1, 0}, {3, 16}), 3);
}

TEST(Threads, UnsplitMaskIsDividedAmongTheRanksWithoutLosingCores) {
  int total = 0;
  for (int rank = 0; rank < 3; ++rank) total += cpu_threads({rank, 3, 0}, {16, 16});
  EXPECT_EQ(total, 16);
  EXPECT_EQ(cpu_threads({1, 2, 0}, {2, 2}), 1);
}

TEST(Threads, SplitMaskIsTakenAsItIs) {
  EXPECT_EQ(cpu_threads({1, 4, 0}, {4, 16}), 4);
}

TEST(Threads, AtLeastOneWithMoreRanksThanCores) {
  EXPECT_EQ(cpu_threads({5, 8, 0}, {2, 2}), 1);
}

TEST(Threads, ThisMachineHasCores) {
  const CoreCount cores = count_cores();
  EXPECT_GE(cores.allowed, 1);
  EXPECT_LE(cores.allowed, cores.node);
}

}  // namespace
}  // namespace tessera::device
