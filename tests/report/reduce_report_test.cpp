#include "report/reduce_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace tessera::report {
namespace {

ReduceReport sample() {
  ReduceReport run{.version = "1.0 (abc)",
                   .job = {{"input", "a.npy"}, {"op", "sum"}},
                   .input = "a.npy",
                   .kind = "npy, C order",
                   .type = "f8",
                   .shape = {2, 3},
                   .elements = 6,
                   .nans = 1};
  run.operations = {{.name = "sum", .values = {{"0.1", 0.1}}},
                    {.name = "max", .values = {{"nan", std::numeric_limits<double>::quiet_NaN()}}},
                    {.name = "norm1", .values = {{"36893488147419103232", {}}}},
                    {.name = "argmin", .values = {{"4", {}}}, .coordinates = {1, 1}},
                    {.name = "minmax", .values = {{"-1", -1.0}, {"2", 2.0}}},
                    {.name = "histogram", .values = {{"5", {}}, {"1", {}}}, .edges = {0, 0.5, 1}}};
  run.wall_s = 2;
  run.work_s = 1;
  for (const int rank : {0, 1}) {
    RankReport report{.rank = rank, .host = "node", .device = "cpu"};
    for (const char* worker : {"worker 0", "worker 1"}) {
      ThreadReport thread{.name = worker, .worker = true};
      thread.seconds[static_cast<std::size_t>(Stage::compute)] = 0.75;
      thread.seconds[static_cast<std::size_t>(Stage::wait)] = 0.125;
      report.threads.push_back(thread);
    }
    report.slices = 1;
    report.elements = 3;
    report.read_s = 0.5;
    report.bytes = 24;
    run.ranks.push_back(report);
  }
  return run;
}

TEST(ReduceReport, HasNumbersThatReadBackAsText) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["schema"], "tessera-reduce-1");
  EXPECT_EQ(json["array"]["shape"], (std::vector<int>{2, 3}));
  const auto& results = json["results"];
  EXPECT_EQ(results[0]["values"][0]["decimal"], "0.1");
  EXPECT_EQ(results[0]["values"][0]["hex"], "0x1.999999999999ap-4");
  EXPECT_EQ(results[0]["values"][0]["value"], 0.1);
  EXPECT_TRUE(results[1]["values"][0]["value"].is_null());
  EXPECT_EQ(results[2]["values"][0]["value"], 36893488147419103232.0);
  EXPECT_EQ(results[3]["values"][0]["value"], 4);
  EXPECT_EQ(results[1]["values"][0]["hex"], "nan");
  EXPECT_EQ(results[2]["values"][0]["decimal"], "36893488147419103232");
  EXPECT_TRUE(results[2]["values"][0]["hex"].is_null());
  EXPECT_EQ(results[3]["coordinates"], (std::vector<int>{1, 1}));
  EXPECT_EQ(results[4]["values"].size(), 2U);
  EXPECT_EQ(results[5]["edges"][1]["hex"], "0x1p-1");
}

TEST(ReduceReport, SumsTheRanks) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["ranks"].size(), 2U);
  EXPECT_EQ(json["total"]["bytes"], 48);
  EXPECT_EQ(json["total"]["workers"], 4);
  EXPECT_EQ(json["total"]["read_s"], 1.0);
  EXPECT_EQ(json["total"]["reduce_s"], 2.0) << "what is left of the workers' computing";
  EXPECT_EQ(json["total"]["wait_s"], 0.5);
  EXPECT_EQ(json["bytes_per_s"], 48.0);
}

TEST(ReduceReport, TableHasALineForEachNumberAndRank) {
  const std::string table = to_table(sample());
  for (const char* line :
       {"\ntype, shape    f8 2x3 (npy, C order)\n", "\nelements       6; 1 NaN, 0 +inf, 0 -inf\n",
        "\nsum            0.1\n", "\nargmin         4  at [1, 1]\n", "\nminmax         -1 2\n",
        "\nhistogram\n             5 from 0 to 0.5\n", "\n   1  node", "\n all  "}) {
    EXPECT_NE(table.find(line), table.npos) << line << table;
  }
}

TEST(ReduceReport, AnswersAreTheValuesAlone) {
  EXPECT_EQ(to_answers(sample()), "0.1\nnan\n36893488147419103232\n4\n-1\n2\n5\n1\n");
}

TEST(ReduceReport, NamesTheArrayOfAnExtreme) {
  ReduceReport run = sample();
  run.operations[4].places = {{"a.npy", {0, 1}}, {"b.npy", {2, 0}}};
  EXPECT_NE(to_table(run).find("\nminmax         -1 2  in a.npy at [0, 1] and b.npy at [2, 0]\n"),
            std::string::npos);
  const auto places = nlohmann::json::parse(to_json(run))["results"][4]["places"];
  EXPECT_EQ(places[1]["array"], "b.npy");
  EXPECT_EQ(places[1]["coordinates"], (std::vector<int>{2, 0}));
}

TEST(ReduceReport, EdgesHaveNoRoundingOfTheLastDigit) {
  ReduceReport run = sample();
  run.operations[5].edges = {0, 0.1 * 3, 1};
  EXPECT_NE(to_table(run).find(" from 0 to 0.3\n"), std::string::npos);
  const auto edge = nlohmann::json::parse(to_json(run))["results"][5]["edges"][1];
  EXPECT_EQ(edge["decimal"], "0.30000000000000004");
  run.operations[5].edges = {1, 1 + 0x1p-52, 1 + 0x1p-51};
  EXPECT_NE(to_table(run).find(" from 1 to 1.0000000000000002\n"), std::string::npos)
      << "edges that 15 digits do not tell apart";
}

TEST(ReduceReport, SaysThatNanDecidesAndWhatToDo) {
  ReduceReport run = sample();
  run.job = {{"nan", "propagate"}};
  EXPECT_NE(to_table(run).find("1 NaN (--nan skip leaves them out)"), std::string::npos);
  run.job = {{"nan", "skip"}};
  EXPECT_EQ(to_table(run).find("--nan"), std::string::npos);
}

TEST(ReduceReport, IsNoTableIfTheOutputWasComplete) {
  ReduceReport run = sample();
  run.found_complete = true;
  EXPECT_EQ(to_table(run), "");
  EXPECT_EQ(nlohmann::json::parse(to_json(run))["found_complete"], true);
}

TEST(ReduceReport, SaysWhatWasLost) {
  ReduceReport run = sample();
  EXPECT_EQ(to_table(run).find("lost"), std::string::npos);
  run.in_flight = {.repeats = {.reissued = 2, .copied = 1}, .lost = {{1, "node"}}};
  run.ranks.back().lost = {{"opencl:0", "killed by signal 9"}};
  const std::string table = to_table(run);
  for (const char* line : {"\nlost           opencl:0 of rank 1 on node: killed by signal 9\n",
                           "\nlost ranks     1 (node)\n",
                           "\ndone again     2 handed out again, 1 copied, 0 answers dropped\n"}) {
    EXPECT_NE(table.find(line), table.npos) << line << table;
  }
  const auto json = nlohmann::json::parse(to_json(run));
  EXPECT_EQ(json["in_flight"]["reissued_items"], 2);
  EXPECT_EQ(json["in_flight"]["lost_ranks"][0]["rank"], 1);
  EXPECT_EQ(json["ranks"][1]["lost"][0]["device"], "opencl:0");
}

}  // namespace
}  // namespace tessera::report
