#include "binding/placement_report.hpp"

#include <gtest/gtest.h>

namespace tessera::binding {
namespace {

RankPlacement place(int rank, std::string host, std::string cpus, int allowed, int node) {
  return {.rank = rank,
          .host = std::move(host),
          .devices = "cpu",
          .workers = allowed,
          .allowed_cores = allowed,
          .node_cores = node,
          .cpus = std::move(cpus),
          .numa_nodes = {0}};
}

TEST(Placement, has_a_line_for_each_rank) {
  const std::vector<RankPlacement> ranks{place(0, "a", "0-3", 4, 8), place(1, "a", "4-7", 4, 8)};
  const auto lines = placement_lines(ranks);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "rank 0 on a: cpu, 4 threads, on 4 of 8 cores (CPUs 0-3; NUMA node 0)");
  EXPECT_EQ(lines[1], "rank 1 on a: cpu, 4 threads, on 4 of 8 cores (CPUs 4-7; NUMA node 0)");
}

TEST(Placement, says_once_what_is_the_same_on_every_host) {
  const std::vector<RankPlacement> ranks{place(0, "a", "0-3", 4, 8), place(1, "a", "4-7", 4, 8),
                                         place(2, "b", "0-3", 4, 8), place(3, "b", "4-7", 4, 8),
                                         place(4, "c", "0-3", 4, 8), place(5, "c", "0-3", 4, 8)};
  const auto lines = placement_lines(ranks);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[2], "ranks 2 to 3 on b: as on the host before");
  EXPECT_TRUE(lines[3].starts_with("rank 4 on c: cpu")) << lines[3];
}

TEST(Placement, warns_of_cores_that_the_launcher_leaves_idle) {
  const std::vector<RankPlacement> bound{place(0, "a", "0", 1, 64), place(1, "a", "1", 1, 64)};
  EXPECT_TRUE(idle_cores_warning(bound).starts_with("a: its ranks may use 2 of 64 cores"));
  const std::vector<RankPlacement> piled{place(0, "a", "0", 1, 4), place(1, "a", "0", 1, 4)};
  EXPECT_NE(idle_cores_warning(piled), "");
}

TEST(Placement, does_not_warn_where_most_cores_are_used) {
  const std::vector<RankPlacement> sockets{place(0, "a", "0-31", 32, 64),
                                           place(1, "a", "32-63", 32, 64)};
  EXPECT_EQ(idle_cores_warning(sockets), "");
  const std::vector<RankPlacement> all{place(0, "a", "0-63", 64, 64),
                                       place(1, "a", "0-63", 64, 64)};
  EXPECT_EQ(idle_cores_warning(all), "");
}

}  // namespace
}  // namespace tessera::binding
