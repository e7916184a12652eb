#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "report/printers.hpp"
#include "report/starts.hpp"
#include "report/timings.hpp"

namespace tessera::report {
namespace {

constexpr auto kCompute = static_cast<std::size_t>(Stage::compute);
constexpr auto kEncode = static_cast<std::size_t>(Stage::encode);
constexpr auto kWait = static_cast<std::size_t>(Stage::wait);

RankReport sample_rank(int rank, double compute_s) {
  RankReport report;
  report.rank = rank;
  report.host = "node-" + std::to_string(rank);
  report.device = "cpu";
  report.tiles = 10;
  report.pixels = 1'000'000;
  report.iterations = 5'000'000'000;
  report.executed = 4'000'000'000;
  report.bytes = 123'456;
  report.peak_memory_bytes = 64 << 20;
  ThreadReport worker{"worker 0 (cpu)", true, {}, {}};
  worker.seconds[kCompute] = compute_s;
  worker.seconds[kEncode] = 0.5;
  worker.spans = {{Stage::compute, 7, 0.25, 1.5}, {Stage::color, 3, 1.5, 1.75}};
  ThreadReport mpi{"mpi \"0\"", false, {}, {{Stage::wait, -1, 0, 2}}};
  mpi.seconds[kWait] = 3;
  report.threads = {worker, mpi};
  return report;
}

RunReport sample_run() {
  RunReport run;
  run.command = "render";
  run.version = "0.1.0 (abc)";
  run.wall_s = 4;
  run.job = {{"size", "1000x2000"}, {"view", "whole"}};
  run.outputs = {{"h5", "out/a.h5"}};
  run.output_bytes = 999;
  run.ranks = {sample_rank(0, 3.5), sample_rank(1, 1.5)};
  return run;
}

TEST(Report, says_what_was_lost_in_flight_only_if_something_was) {
  RunReport run = sample_run();
  run.in_flight.repeats = {.reissued = 3, .copied = 2, .answered_again = 1};
  EXPECT_EQ(to_table(run).find("lost ranks"), std::string::npos);
  run.in_flight.lost = {{1, "node-1"}, {4, "node-2"}};
  const std::string table = to_table(run);
  EXPECT_NE(table.find("lost ranks     1 (node-1), 4 (node-2)\n"), std::string::npos);
  EXPECT_NE(table.find("done again     3 handed out again, 2 copied, 1 answer dropped\n"),
            std::string::npos);
  const auto json = nlohmann::json::parse(to_json(run))["in_flight"];
  EXPECT_EQ(json["reissued_items"], 3);
  EXPECT_EQ(json["copied_items"], 2);
  EXPECT_EQ(json["answers_dropped"], 1);
  EXPECT_EQ(json["lost_ranks"][1]["rank"], 4);
  EXPECT_EQ(json["lost_ranks"][1]["host"], "node-2");
}

TEST(Table, explains_a_rank_that_computed_and_has_no_tiles) {
  RunReport run = sample_run();
  EXPECT_EQ(to_table(run).find("duplicates"), std::string::npos);
  run.ranks[1].tiles = 0;
  EXPECT_NE(
      to_table(run).find("duplicates     rank 1 computed tiles that another rank stored first"),
      std::string::npos);
}

TEST(Trace, names_the_parts_of_opening) {
  RunReport run = sample_run();
  run.ranks[0].threads[1].spans = {
      {Stage::open, static_cast<std::int64_t>(Phase::find_devices), 0, 1}};
  const std::string trace = to_trace(run.command, run.version, run.ranks);
  EXPECT_NE(trace.find(R"("name":"find devices","ph":"X")"), std::string::npos);
}

TEST(Timings, busy_is_the_workers_time_only) {
  const RankReport rank = sample_rank(0, 3.5);
  EXPECT_DOUBLE_EQ(rank.busy_s(), 4.0);
  EXPECT_DOUBLE_EQ(rank.seconds(Stage::wait), 3.0);
  EXPECT_EQ(rank.workers(), 1);
}

TEST(Timings, load_balance_is_busiest_over_mean) {
  EXPECT_DOUBLE_EQ(load_balance(sample_run()), 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(load_balance(RunReport{}), 1.0);
}

TEST(Timings, computing_share_counts_workers_and_wall_time) {
  EXPECT_DOUBLE_EQ(computing_share(sample_run()), (3.5 + 1.5) / (2 * 4));
  EXPECT_DOUBLE_EQ(computing_share(RunReport{}), 0.0);
}

TEST(Timings, totals_add_every_rank) {
  const RankReport sum = totals(sample_run().ranks);
  EXPECT_EQ(sum.tiles, 20U);
  EXPECT_EQ(sum.bytes, 246'912U);
  EXPECT_EQ(sum.workers(), 2);
  EXPECT_DOUBLE_EQ(sum.seconds(Stage::compute), 5.0);
}

TEST(Table, shows_ranks_totals_and_balance) {
  const std::string table = to_table(sample_run());
  for (const char* part :
       {"tessera render 0.1.0 (abc)", "node-1", "3.5 s", "1.333", "62.5 % of the time of 2 workers",
        "counted        10.0 G iterations, 2.5 G/s", "computed       8.0 G iterations, 2.0 G/s",
        "out/a.h5", "all", "121 KiB"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " is not in\n" << table;
  }
}

TEST(Table, has_at_most_100_columns_whatever_the_numbers) {
  RunReport run = sample_run();
  run.version = std::string(200, 'v');
  run.ranks.clear();
  for (int i = 0; i < 5000; i += 100) {
    RankReport rank = sample_rank(100'000 + i, 9.9e6);
    rank.host = "a-node-with-a-very-long-name.example.org";
    rank.device = "a device with a very long name";
    rank.tiles = rank.pixels = rank.iterations = rank.bytes = rank.peak_memory_bytes =
        std::uint64_t{1} << 62;
    rank.threads[0].seconds.fill(3599.4);
    run.ranks.push_back(rank);
  }
  std::istringstream lines(to_table(run));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_LT(count, 2 * 34 + 15) << "a line for each of many ranks";
}

TEST(Table, leaves_out_what_is_not_known) {
  RunReport run = sample_run();
  run.wall_s = 0;
  for (RankReport& rank : run.ranks) rank.peak_memory_bytes = 0;
  const std::string table = to_table(run);
  for (const char* part : {"wall time", "load balance", "time in each stage", " 0 B"}) {
    EXPECT_EQ(table.find(part), std::string::npos) << part << " is in\n" << table;
  }
  EXPECT_NE(table.find("node-1"), std::string::npos);
}

TEST(Table, is_empty_if_there_was_nothing_left_to_do) {
  RunReport run = sample_run();
  run.found_complete = true;
  EXPECT_EQ(to_table(run), "");
}

TEST(Json, parses_back_to_the_same_numbers) {
  const auto json = nlohmann::json::parse(to_json(sample_run()));
  EXPECT_EQ(json["schema"], "tessera-report-1");
  EXPECT_EQ(json["job"]["size"], "1000x2000");
  EXPECT_EQ(json["outputs"]["h5"], "out/a.h5");
  EXPECT_EQ(json["wall_s"], 4.0);
  EXPECT_EQ(json["pixels_per_s"], 500'000.0);
  EXPECT_EQ(json["total"]["executed_iterations"], 8'000'000'000U);
  EXPECT_EQ(json["total"]["stages"]["compute_s"], 5.0);
  ASSERT_EQ(json["ranks"].size(), 2U);
  EXPECT_EQ(json["ranks"][1]["host"], "node-1");
  EXPECT_EQ(json["ranks"][1]["stored_bytes"], 123'456);
  EXPECT_EQ(json["ranks"][1]["threads"][1]["stages"]["wait_s"], 3.0);
  EXPECT_EQ(json["ranks"][1]["threads"][0]["worker"], true);
  EXPECT_DOUBLE_EQ(json["load_balance_ratio"].get<double>(), 4.0 / 3.0);
}

TEST(Report, tells_what_was_lost) {
  RunReport run = sample_run();
  run.ranks[1].lost = {{"cuda:0", "out of memory"}, {"cpu", "\xFF" + std::string(300, 'x')}};
  run.ranks[1].restarted = {{"cuda:1", "its process left"}};
  const auto json = nlohmann::json::parse(to_json(run));
  EXPECT_TRUE(json["ranks"][0]["lost"].empty());
  EXPECT_EQ(json["ranks"][1]["lost"][0]["device"], "cuda:0");
  EXPECT_EQ(json["ranks"][1]["lost"][0]["cause"], "out of memory");
  const std::string table = to_table(run);
  EXPECT_EQ(json["ranks"][1]["restarted"][0]["cause"], "its process left");
  EXPECT_NE(table.find("restarted      cuda:1 of rank 1 on node-1: its process left\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("lost           cuda:0 of rank 1 on node-1: out of memory\n"),
            std::string::npos)
      << table;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Json, is_valid_for_paths_that_are_not_utf8) {
  RunReport run = sample_run();
  run.outputs = {{"h5", "\xFF\"quoted\".h5"}};
  EXPECT_TRUE(nlohmann::json::accept(to_json(run)));
}

TEST(Trace, has_a_line_per_thread_and_names) {
  const auto json = nlohmann::json::parse(to_trace("render", "0.1.0", sample_run().ranks));
  int spans = 0;
  std::vector<std::string> names;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") == "X") ++spans;
    if (event.at("name") == "process_name" || event.at("name") == "thread_name") {
      names.push_back(event.at("args").at("name"));
    }
    if (event.at("ph") != "X" || event.at("pid") != 1) continue;
    if (event.at("name") == "compute") {
      EXPECT_EQ(event.at("tid"), 0);
      EXPECT_EQ(event.at("ts"), 250'000.0);
      EXPECT_EQ(event.at("dur"), 1'250'000.0);
      EXPECT_EQ(event.at("args").at("tile"), 7);
    }
    if (event.at("name") == "color") {
      EXPECT_EQ(event.at("args").at("band"), 3);
    }
    if (event.at("name") == "wait") {
      EXPECT_FALSE(event.contains("args"));
    }
  }
  EXPECT_EQ(spans, 6);
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0 on node-0", "worker 0 (cpu)", "mpi \"0\"",
                                             "rank 1 on node-1", "worker 0 (cpu)", "mpi \"0\""}));
}

TEST(Trace, of_an_empty_run_parses) {
  EXPECT_TRUE(nlohmann::json::parse(to_trace("render", "0.1.0", {}))["traceEvents"].empty());
}

TEST(Serialize, gives_back_every_field) {
  RankReport rank = sample_rank(3, 2.5);
  rank.lost = {{"cuda:0", "out of memory"}, {"cpu", ""}};
  rank.restarted = {{"cuda:1", "its process left"}};
  const RankReport back = base::from_bytes<RankReport>(base::to_bytes(rank));
  EXPECT_EQ(back.rank, 3);
  EXPECT_EQ(back.host, rank.host);
  EXPECT_EQ(back.device, rank.device);
  EXPECT_EQ(back.tiles, rank.tiles);
  EXPECT_EQ(back.pixels, rank.pixels);
  EXPECT_EQ(back.iterations, rank.iterations);
  EXPECT_EQ(back.executed, rank.executed);
  EXPECT_EQ(back.bytes, rank.bytes);
  EXPECT_EQ(back.peak_memory_bytes, rank.peak_memory_bytes);
  ASSERT_EQ(back.threads.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.threads[i].name, rank.threads[i].name);
    EXPECT_EQ(back.threads[i].worker, rank.threads[i].worker);
    EXPECT_EQ(back.threads[i].seconds, rank.threads[i].seconds);
    ASSERT_EQ(back.threads[i].spans.size(), rank.threads[i].spans.size());
    for (std::size_t j = 0; j < back.threads[i].spans.size(); ++j) {
      EXPECT_EQ(back.threads[i].spans[j].stage, rank.threads[i].spans[j].stage);
      EXPECT_EQ(back.threads[i].spans[j].item, rank.threads[i].spans[j].item);
      EXPECT_EQ(back.threads[i].spans[j].start_s, rank.threads[i].spans[j].start_s);
      EXPECT_EQ(back.threads[i].spans[j].end_s, rank.threads[i].spans[j].end_s);
    }
  }
  ASSERT_EQ(back.lost.size(), 2U);
  EXPECT_EQ(back.lost[0].device, "cuda:0");
  EXPECT_EQ(back.lost[0].cause, "out of memory");
  ASSERT_EQ(back.restarted.size(), 1U);
  EXPECT_EQ(back.restarted[0].device, "cuda:1");
  // Every field that is listed.
  EXPECT_EQ(base::to_bytes(back), base::to_bytes(rank));
}

TEST(Serialize, rejects_every_cut_and_anything_behind) {
  RankReport rank = sample_rank(0, 1);
  rank.lost = {{"cuda:0", "out of memory"}};
  base::Bytes bytes = base::to_bytes(rank);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(base::from_bytes<RankReport>(std::span(bytes).first(i)), base::Error) << i;
  }
  bytes.push_back({});
  EXPECT_THROW(base::from_bytes<RankReport>(bytes), base::Error);
}

TEST(Spans, of_the_parts_of_a_tile_become_one_and_are_bounded) {
  ThreadReport thread;
  add_span(thread, {Stage::compute, 7, 0, 1});
  add_span(thread, {Stage::compute, 7, 1, 2});
  add_span(thread, {Stage::encode, 7, 2, 3});
  ASSERT_EQ(thread.spans.size(), 2U);
  EXPECT_EQ(thread.spans[0].end_s, 2);
  for (int i = 0; i < 300'000; ++i) add_span(thread, {Stage::compute, i, 3, 4});
  EXPECT_EQ(thread.spans.size(), 1U << 16);
  EXPECT_EQ(thread.spans.size() + thread.spans_dropped, 300'002U);
}

class TextFile : public testing::Test {
 protected:
  TextFile() { std::filesystem::create_directory(folder_); }
  ~TextFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("tessera-report-test-" + std::to_string(::getpid()));
  std::string path_ = folder_ / "a.json";
};

TEST_F(TextFile, replaces_the_old_one_and_leaves_nothing_else) {
  write_text_file(path_, "old and longer");
  write_text_file(path_, "new");
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(TextFile, failure_names_the_file) {
  write_text_file(folder_ / "no", "a file");
  try {
    write_text_file("/dev/null/no/a.json", "x");
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::failed);
    EXPECT_NE(std::string(error.what()).find("no/a.json"), std::string::npos) << error.what();
  }
}

TEST_F(TextFile, a_device_is_written_to_and_not_replaced) {
  write_text_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

bool is_threads(std::string_view option) {
  return option == "threads";
}

class Starts : public ::testing::Test {
 protected:
  /// The starts that a run with these options finds after one that was stopped.
  std::vector<Start> found_after(const RunReport& stopped,
                                 const std::vector<std::pair<std::string, std::string>>& job) {
    write_text_file(path_, to_json(stopped));
    return earlier_starts(path_, "render", job, &is_threads);
  }
  ~Starts() override { std::filesystem::remove(path_); }

  std::string path_ = std::filesystem::temp_directory_path() /
                      ("tessera starts " + std::to_string(::getpid()) + ".json");
};

TEST_F(Starts, of_a_stopped_run_are_added_up_by_the_next_one) {
  RunReport run = sample_run();
  run.state.stopped = "stopped by SIGTERM";
  const auto first = Json::parse(to_json(run));
  EXPECT_EQ(first["state"], "stopped");
  EXPECT_EQ(first["stopped"], "stopped by SIGTERM");
  ASSERT_EQ(first["starts"].size(), 1U);

  auto job = run.job;
  job.emplace_back("threads", "7");
  RunReport next = run;
  next.state = {.earlier = found_after(run, job)};
  const auto second = Json::parse(to_json(next));
  EXPECT_EQ(second["state"], "complete");
  EXPECT_EQ(second["stopped"], nullptr);
  ASSERT_EQ(second["starts"].size(), 2U);
  EXPECT_EQ(second["starts"][0], first["starts"][0]);
  EXPECT_DOUBLE_EQ(second["all_starts"]["wall_s"], 2 * run.wall_s);
  EXPECT_EQ(second["all_starts"]["items"].get<int>(), 2 * first["starts"][0]["items"].get<int>());
  EXPECT_NE(to_table(next).find("\nstarts         2 in all: "), std::string::npos);
  EXPECT_EQ(to_table(sample_run()).find("\nstarts "), std::string::npos);
}

TEST_F(Starts, of_another_job_or_of_a_complete_one_do_not_count) {
  RunReport run = sample_run();
  EXPECT_TRUE(found_after(run, run.job).empty()) << "it was complete";
  run.state.stopped = "stopped";
  EXPECT_EQ(found_after(run, run.job).size(), 1U);
  auto other = run.job;
  other.front().second = "9x9";
  EXPECT_TRUE(found_after(run, other).empty());
  EXPECT_TRUE(earlier_starts(path_, "reduce", run.job, &is_threads).empty());
  EXPECT_TRUE(earlier_starts(path_ + "none", "render", run.job, &is_threads).empty());
  std::ofstream(path_) << "{\n  \"schema\": \"tessera-report-1\",\n  \"command\": \"render\", cut";
  EXPECT_TRUE(earlier_starts(path_, "render", run.job, &is_threads).empty());
}

TEST(Table, fits_80_columns) {
  RunReport run = sample_run();
  for (RankReport& rank : run.ranks) {
    rank.host = "a-host-with-a-long-name.example";
    rank.device = "opencl:0.0 and more";
    rank.bytes = rank.peak_memory_bytes = std::uint64_t{1023} << 30;
    for (ThreadReport& thread : rank.threads) thread.seconds.fill(3.5e6);
  }
  std::istringstream lines(to_table(run));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace tessera::report
