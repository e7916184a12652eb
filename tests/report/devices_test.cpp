#include "report/devices.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::report {
namespace {

constexpr int kWide = 200;

RankDevices sample_rank(int rank) {
  return {.rank = rank,
          .host = "node-a",
          .node_rank = rank,
          .node_ranks = 2,
          .allowed_cores = 8,
          .node_cores = 16,
          .numa_nodes = {0, 1},
          .devices = {{.name = "cuda:0",
                       .what = "NVIDIA H200",
                       .memory_bytes = std::uint64_t{141} << 30,
                       .driver = "CUDA 13.0",
                       .compute = "9.0",
                       .fp64 = true,
                       .gpu = true,
                       .near = true,
                       .uuid = "GPU-12",
                       .pci = "0000:17:00.0"},
                      {.name = "opencl", .reason = "not in this build"}},
          .uses = {"cuda:0", "cpu"},
          .workers = 11};
}

DevicesReport sample_report() {
  return {.version = "0.1.0 (abc)",
          .device_list = "auto,cpu",
          .ranks = {sample_rank(0), sample_rank(1)}};
}

TEST(DevicesTable, HasAColumnForEverythingThatAnyDeviceTells) {
  const std::string table = to_table(sample_report(), kWide);
  EXPECT_NE(table.find("rank 0 on node-a (local rank 0 of 2), 8 of 16 cores, NUMA node 0, 1\n"
                       "  device  what         memory   driver     compute  fp64  used\n"
                       "  cuda:0  NVIDIA H200  141 GiB  CUDA 13.0  9.0      yes   yes\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("no: not in this build\n"), std::string::npos) << table;
  EXPECT_NE(table.find("--device auto,cpu is cuda:0, cpu here, 11 worker threads\n"),
            std::string::npos)
      << table;
}

TEST(DevicesTable, LeavesOutColumnsOfWhichNothingIsKnown) {
  DevicesReport report = sample_report();
  for (RankDevices& rank : report.ranks) rank.devices.erase(rank.devices.begin());
  EXPECT_EQ(to_table(report, kWide).find("memory"), std::string::npos);
}

TEST(DevicesTable, SaysOnceWhatSeveralRanksHaveInCommon) {
  DevicesReport report = sample_report();
  EXPECT_NE(to_table(report, kWide)
                .find("rank 1 on node-a (local rank 1 of 2), 8 of 16 cores, "
                      "NUMA node 0, 1\n  as the rank before\n"),
            std::string::npos);
  report.ranks[1].devices[0].reason = "driven by rank 0";
  EXPECT_EQ(to_table(report, kWide).find("as the rank before"), std::string::npos);
}

TEST(DevicesTable, SaysWhatCannotBeOpened) {
  DevicesReport report = sample_report();
  report.ranks[0].problem = "cuda:0 is in use";
  EXPECT_NE(to_table(report, kWide).find("cuda:0, cpu here, but: cuda:0 is in use\n"),
            std::string::npos);
}

TEST(DevicesJson, HoldsAllOfItAndNullWhereNothingIsKnown) {
  const auto json = nlohmann::json::parse(to_json(sample_report()));
  EXPECT_EQ(json["schema"], "tessera-devices-1");
  EXPECT_EQ(json["device"], "auto,cpu");
  ASSERT_EQ(json["ranks"].size(), 2U);
  const auto& rank = json["ranks"][1];
  EXPECT_EQ(rank["rank"], 1);
  EXPECT_EQ(rank["numa_nodes"], (std::vector<int>{0, 1}));
  EXPECT_EQ(rank["uses"], (std::vector<std::string>{"cuda:0", "cpu"}));
  EXPECT_EQ(rank["workers"], 11);
  const auto& gpu = rank["devices"][0];
  EXPECT_EQ(gpu["memory_bytes"], std::uint64_t{141} << 30);
  EXPECT_EQ(gpu["fp64"], true);
  EXPECT_EQ(gpu["used"], true);
  EXPECT_EQ(gpu["reason"], nullptr);
  const auto& absent = rank["devices"][1];
  EXPECT_EQ(absent["used"], false);
  EXPECT_EQ(absent["reason"], "not in this build");
  EXPECT_EQ(absent["fp64"], nullptr);
  EXPECT_EQ(absent["memory_bytes"], nullptr);
}

TEST(DevicesMessage, ComesBackAsItWas) {
  RankDevices rank = sample_rank(3);
  rank.problem = "busy";
  const RankDevices back = base::from_bytes<RankDevices>(base::to_bytes(rank));
  EXPECT_EQ(to_json({.ranks = {back}}), to_json({.ranks = {rank}}));
  base::Bytes bytes = base::to_bytes(rank);
  bytes.pop_back();
  EXPECT_THROW(base::from_bytes<RankDevices>(bytes), base::Error);
}

TEST(DevicesTable, has_two_lines_a_device_where_the_table_is_too_wide) {
  const DevicesReport report = sample_report();
  const std::string table = to_table(report, 60);
  for (const std::string& line : base::split(table, '\n')) EXPECT_LE(line.size(), 60U) << line;
  for (const DeviceLine& device : report.ranks.front().devices) {
    EXPECT_NE(table.find("  " + device.name + "  "), std::string::npos) << device.name;
  }
}

}  // namespace
}  // namespace tessera::report
