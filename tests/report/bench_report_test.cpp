#include "report/bench_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/bench_printers.hpp"
#include "sample_bench.hpp"

namespace tessera::report {
namespace {

TEST(BenchReport, median_is_the_middle_of_the_later_calls) {
  EXPECT_DOUBLE_EQ((CallTimes{9, {3, 1, 2}}).median_s(), 2);
  EXPECT_DOUBLE_EQ((CallTimes{9, {4, 1, 2, 3}}).median_s(), 2.5);
  EXPECT_DOUBLE_EQ((CallTimes{9, {}}).median_s(), 0);
}

TEST(BenchReport, a_device_pays_from_where_it_stays_faster) {
  BenchReport bench = sample_bench();
  EXPECT_EQ(pays_from(bench, "cuda:0", 1000, Calls::later), 2500);
  EXPECT_EQ(pays_from(bench, "cuda:0", 1000, Calls::first), 10000);
  EXPECT_EQ(pays_from(bench, "cuda:0", 50, Calls::later), std::nullopt);
  bench.renders.push_back(sample_render("cpu", 15000, .5, .5));
  bench.renders.push_back(sample_render("cuda:0", 15000, 1, 1));
  EXPECT_EQ(pays_from(bench, "cuda:0", 1000, Calls::later), std::nullopt);
}

TEST(BenchReport, compares_with_the_cores) {
  BenchReport bench = sample_bench();
  EXPECT_DOUBLE_EQ(*ratio_to_baseline(bench, bench.renders[5]), 30);
  bench.devices.erase(bench.devices.begin());
  EXPECT_EQ(ratio_to_baseline(bench, bench.renders[5]), std::nullopt);
  EXPECT_EQ(pays_from(bench, "cuda:0", 1000, Calls::later), std::nullopt);
}

TEST(BenchReport, names_devices_that_disagree) {
  std::vector<RenderCase> renders = sample_bench().renders;
  EXPECT_TRUE(find_disagreement(renders).empty());
  ++renders[4].checksum;
  ++renders[5].iterations_done;
  const auto problems = find_disagreement(renders);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_NE(problems[0].find("cpu and cuda:0 disagree about 2500 x 2500"), std::string::npos);
}

TEST(BenchReport, a_rate_counts_the_bytes_that_move) {
  const ArrayCase add{"cpu", 1000, ArrayWork::add, {1, {1e-6}}};
  EXPECT_EQ(add.bytes(), 24'000U);
  EXPECT_DOUBLE_EQ(add.bytes_per_s(), 24e9);
  EXPECT_EQ((ArrayCase{"cpu", 1000, ArrayWork::to_device, {}}).bytes(), 8'000U);
}

TEST(BenchTable, shows_both_kinds_of_calls_and_from_where_on_the_gpu_pays) {
  const std::string table = to_table(sample_bench());
  for (const char* part :
       {"tessera bench 0.1.0 (abc) on node-1", "Mandelbrot, 1000 iterations", "10000 x 10000",
        "260 ms", "10.0 ms", "10.0 G", "30 x",
        "the GPU cuda:0 is faster from 2500 x 2500 on; first call: from 10000 x 10000 on",
        "copy to the device", "2.4e+03", "left out: opencl: not in this build"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " is not in\n" << table;
  }
}

TEST(BenchTable, says_that_a_device_is_slower_at_every_size) {
  BenchReport bench = sample_bench();
  bench.renders = {sample_render("cpu", 500, 0.1, 0.1), sample_render("cuda:0", 500, 1, 1)};
  EXPECT_NE(to_table(bench).find("the GPU cuda:0 is slower than cpu at every size measured"),
            std::string::npos);
}

TEST(BenchTable, has_at_most_100_columns_whatever_the_numbers) {
  BenchReport bench = sample_bench();
  bench.version = std::string(200, 'v');
  bench.devices[1].name = bench.devices[1].detail = std::string(200, 'd');
  bench.renders = {sample_render("cpu", 1 << 20, 1e8, 1e8),
                   sample_render(bench.devices[1].name, 1 << 20, 1e7, 1e-9)};
  bench.arrays = {{bench.devices[1].name, std::uint64_t{1} << 40, ArrayWork::add, {1e7, {1e-9}}}};
  std::istringstream lines(to_table(bench));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(BenchTable, writes_times_with_three_digits) {
  EXPECT_EQ(format_call(1.234e-6), "1.23 us");
  EXPECT_EQ(format_call(999.7e-6), "1.00 ms");
  EXPECT_EQ(format_call(0.05), "50.0 ms");
  EXPECT_EQ(format_call(0.9996), "1.00 s");
  EXPECT_EQ(format_call(310), "310 s");
}

TEST(BenchJson, has_what_the_table_has) {
  const auto json = nlohmann::json::parse(to_json(sample_bench()));
  EXPECT_EQ(json["schema"], "tessera-bench-1");
  EXPECT_EQ(json["baseline"], "cpu");
  EXPECT_EQ(json["devices"].size(), 2U);
  EXPECT_EQ(json["renders"].size(), 6U);
  EXPECT_EQ(json["renders"][5]["later_median_s"], 0.01);
  EXPECT_EQ(json["renders"][5]["later_s"].size(), 3U);
  EXPECT_EQ(json["renders"][5]["checksum"], "abc0000000002710");
  EXPECT_EQ(json["arrays"].size(), 8U);
  EXPECT_EQ(json["arrays"][0]["work"], "add");
  EXPECT_EQ(json["pays"][0]["later_from_px"], 2500);
  EXPECT_EQ(json["pays"][0]["first_from_px"], 10000);
}

TEST(BenchJson, says_null_where_there_is_nothing_to_compare_with) {
  BenchReport bench = sample_bench();
  bench.devices.erase(bench.devices.begin());
  const auto json = nlohmann::json::parse(to_json(bench));
  EXPECT_TRUE(json["baseline"].is_null());
  EXPECT_TRUE(json["renders"][5]["speed_ratio"].is_null());
  EXPECT_TRUE(json["pays"].empty());
}

}  // namespace
}  // namespace tessera::report
