#include "report/meters.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/printers.hpp"
#include "report/starts.hpp"

namespace tessera::report {
namespace {

using base::Measure;

constexpr auto kPower = static_cast<std::size_t>(Measure::power);

base::Reading reading(double energy_j, double power_w = base::kNotTold) {
  base::Reading reading{.energy_j = energy_j};
  reading[Measure::power] = power_w;
  return reading;
}

MeterReport gpu(const std::string& address, double energy_j) {
  MeterLog log("cuda:0", address);
  log.add(1, reading(1000, 90));
  log.add(2, reading(1000 + energy_j, 110));
  return log.report();
}

MeterReport cores(double energy_j) {
  MeterLog log("cores", "");
  log.add(0, reading(0));
  log.add(2, reading(energy_j));
  return log.report();
}

RankReport rank_on(const std::string& host, std::vector<MeterReport> meters) {
  RankReport rank;
  rank.host = host;
  rank.pixels = 500'000'000;
  rank.meters = std::move(meters);
  return rank;
}

TEST(MeterLog, EnergyIsTheLastReadingWithoutTheFirst) {
  MeterLog log("cuda:0", "0000:17:00.0");
  log.add(1, reading(1000, 400));
  log.add(1.1, reading(base::kNotTold, 600));  // its process was started again
  log.add(3, reading(1800, 300));
  const MeterReport report = log.report();
  EXPECT_EQ(report.energy_j, 800);
  EXPECT_EQ(report.measured_s, 2);
  EXPECT_EQ(report[Measure::power], 400);  // of the energy, not of the samples
  EXPECT_EQ(report.most[kPower], 600);
  EXPECT_EQ(log.power_w(), 300);
  EXPECT_FALSE(base::is_told(report[Measure::temperature]));
}

TEST(MeterLog, PowerIsTheRateOfTheEnergyWhereItIsNotTold) {
  MeterLog log("cores", "");
  log.add(0, reading(0));
  log.add(0.01, reading(100));  // too soon after the last one for a rate
  log.add(1, reading(250));
  log.add(2, reading(300));
  EXPECT_EQ(log.report().most[kPower], 250);
  EXPECT_EQ(log.power_w(), 50);
  EXPECT_EQ(log.report()[Measure::power], 150);
}

TEST(MeterLog, EnergyIsNotKnownOfOneReadingOrOfACounterThatRestsOrTurnsBack) {
  MeterLog log("cuda:0", "0000:17:00.0");
  EXPECT_FALSE(base::is_told(log.report().energy_j));
  log.add(1, reading(1000));
  EXPECT_FALSE(base::is_told(log.report().energy_j));
  log.add(2, reading(1000));
  EXPECT_FALSE(base::is_told(log.report().energy_j));
  log.add(3, reading(1200));
  EXPECT_EQ(log.report().energy_j, 200);
  log.add(4, reading(3));  // the driver was loaded again
  log.add(5, reading(5000));
  EXPECT_FALSE(base::is_told(log.report().energy_j));
}

TEST(MeterLog, DropsEverySecondSampleOfALongRun) {
  MeterLog log("cuda:0", "0000:17:00.0");
  for (int i = 0; i < 100'000; ++i) log.add(i, reading(i, i % 7));
  const auto samples = log.report().samples;
  EXPECT_LT(samples.size(), MeterLog::kMaxSamples);
  EXPECT_GT(samples.size(), MeterLog::kMaxSamples / 4);
  EXPECT_EQ(samples.front().time_s, 0);
  EXPECT_GT(samples.back().time_s, 99'000);
  EXPECT_EQ(log.report().energy_j, 99'999);
}

TEST(Energy, CountsSharedGpusAndCoresOnce) {
  const std::vector<RankReport> ranks = {
      rank_on("a", {cores(10), gpu("0000:17:00.0", 300)}),
      rank_on("a", {gpu("0000:17:00.0", 290), gpu("0000:18:00.0", 50)}),
      rank_on("b", {cores(20), gpu("0000:17:00.0", 7)})};
  const Energy energy = energy_of(ranks);
  EXPECT_EQ(energy.gpus, 3);
  EXPECT_EQ(energy.gpus_j, 357);
  EXPECT_EQ(energy.cores_j, 30);
  EXPECT_EQ(energy.all_j(), 387);
}

TEST(Energy, IsNotKnownIfAPartIsNot) {
  MeterReport old = gpu("0000:18:00.0", 1);
  old.energy_j = base::kNotTold;
  const std::vector<RankReport> ranks = {rank_on("a", {cores(10), gpu("0000:17:00.0", 300), old}),
                                         rank_on("b", {gpu("0000:17:00.0", 7)})};
  EXPECT_FALSE(base::is_told(energy_of(ranks).gpus_j));
  EXPECT_FALSE(base::is_told(energy_of(ranks).cores_j));  // not of host b
  EXPECT_FALSE(base::is_told(energy_of(ranks).all_j()));
  EXPECT_FALSE(base::is_told(energy_of({}).all_j()));
}

TEST(Energy, IsInTheReports) {
  RunReport run{.command = "render", .wall_s = 2};
  run.ranks = {rank_on("a", {cores(10), gpu("0000:17:00.0", 300)}), rank_on("a", {})};
  run.state.earlier = {{.wall_s = 1, .energy_j = 40}};
  const auto json = nlohmann::json::parse(to_json(run));
  EXPECT_EQ(json["energy_j"], 310);
  EXPECT_EQ(json["cores_energy_j"], 10);
  EXPECT_EQ(json["gpu_energy_j"], 300);
  EXPECT_EQ(json["energy_per_gigapixel_j"], 310);
  EXPECT_EQ(json["starts"][0]["energy_j"], 40);
  EXPECT_EQ(json["all_starts"]["energy_j"], 350);
  const auto meters = json["ranks"][0]["meters"];
  EXPECT_EQ(meters[0]["device"], "cores");
  EXPECT_EQ(meters[0]["mean_power_w"], 5);
  EXPECT_EQ(meters[1]["energy_j"], 300);
  EXPECT_EQ(meters[1]["max_power_w"], 300);  // no sample had as much
  EXPECT_TRUE(meters[1]["max_temperature_c"].is_null());
  EXPECT_TRUE(json["ranks"][1]["meters"].empty());
  const std::string table = to_table(run);
  EXPECT_NE(table.find("energy         310 J: cores 10 J, GPUs 300 J; 310 J per gigapixel\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("cuda:0         300 W (at most 300); rank 0 on a\n"), std::string::npos)
      << table;
  EXPECT_NE(table.find("350 J"), std::string::npos) << table;
}

TEST(Energy, IsLeftOutWhereItIsNotKnown) {
  RunReport run{.command = "render", .wall_s = 2};
  run.ranks = {rank_on("a", {})};
  run.state.earlier = {{.wall_s = 1, .energy_j = 40}};
  const auto json = nlohmann::json::parse(to_json(run));
  for (const char* const key :
       {"energy_j", "cores_energy_j", "gpu_energy_j", "energy_per_gigapixel_j"}) {
    EXPECT_TRUE(json.contains(key) && json[key].is_null()) << key;
  }
  EXPECT_TRUE(json["all_starts"]["energy_j"].is_null());  // only a part is known
  EXPECT_EQ(to_table(run).find("energy"), std::string::npos);
}

TEST(Energy, IsATrackOfTheTrace) {
  RankReport rank = rank_on("a", {gpu("0000:17:00.0", 300)});
  rank.rank = 3;
  const auto events = nlohmann::json::parse(to_trace("render", "0.1.0", {&rank, 1}))["traceEvents"];
  std::vector<nlohmann::json> counters;
  for (const auto& event : events) {
    if (event["ph"] == "C") counters.push_back(event);
  }
  ASSERT_EQ(counters.size(), 2U);  // temperature and the like are not told
  EXPECT_EQ(counters[0]["name"], "cuda:0 power_w");
  EXPECT_EQ(counters[0]["pid"], 3);
  EXPECT_EQ(counters[0]["ts"], 1e6);
  EXPECT_EQ(counters[1]["args"]["value"], 110);
}

TEST(Joules, HaveDigitsAtAnySize) {
  EXPECT_EQ(format_joules(0.0456), "0.0456 J");
  EXPECT_EQ(format_joules(312.4), "312 J");
  EXPECT_EQ(format_joules(12'345), "12.3 kJ");
}

}  // namespace
}  // namespace tessera::report
