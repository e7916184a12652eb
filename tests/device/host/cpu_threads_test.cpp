#include "device/host/cpu_threads.hpp"

#include <gtest/gtest.h>

namespace tessera::device {
namespace {

TEST(Threads, PlacementOverrides) {
  EXPECT_EQ(cpu_threads({.mask_ranks = 4, .threads = 7}, {16, 16}), 7);
}

TEST(Threads, AloneOnItsCoresTakesAllThatTheMaskAllows) {
  EXPECT_EQ(cpu_threads({}, {16, 16}), 16);
  EXPECT_EQ(cpu_threads({.node_rank = 1, .node_ranks = 4}, {4, 16}), 4);
}

TEST(Threads, SharedMaskIsDividedWithoutLosingCores) {
  for (const CoreCount cores : {CoreCount{16, 16}, CoreCount{16, 64}, CoreCount{3, 3}}) {
    int total = 0;
    for (int rank = 0; rank < 3; ++rank) {
      total += cpu_threads({.mask_rank = rank, .mask_ranks = 3}, cores);
    }
    EXPECT_EQ(total, cores.allowed);
  }
}

TEST(Threads, RanksBoundToSocketsDivideTheirSocket) {
  // mpirun -n 4 on two sockets of 32 cores: ranks 0 and 2 share one, 1 and 3 the other.
  EXPECT_EQ(cpu_threads({2, 4, 1, 2, 0}, {32, 64}), 16);
}

TEST(Threads, AtLeastOneWithMoreRanksThanCores) {
  EXPECT_EQ(cpu_threads({.mask_rank = 5, .mask_ranks = 8}, {2, 2}), 1);
}

TEST(Threads, ThisMachineHasCores) {
  const CoreCount cores = count_cores();
  EXPECT_GE(cores.allowed, 1);
  EXPECT_LE(cores.allowed, cores.node);
  EXPECT_FALSE(numa_nodes().empty());
}

TEST(Threads, OneLookTellsTheSameAsSeveral) {
  const CpuPlacement place = detect_cpus();
  EXPECT_EQ(place.cores.allowed, count_cores().allowed);
  EXPECT_EQ(place.cores.node, count_cores().node);
  EXPECT_EQ(place.numa_nodes, numa_nodes());
  EXPECT_NE(place.cpus, "");
  EXPECT_EQ(place.cpus.find_first_not_of("0123456789,-"), std::string::npos) << place.cpus;
}

}  // namespace
}  // namespace tessera::device
