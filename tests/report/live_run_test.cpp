#include "report/live_run.hpp"

#include <gtest/gtest.h>

namespace tessera::report {
namespace {

std::vector<MadeItem> made_by(int rank, std::int64_t count) {
  return std::vector<MadeItem>(static_cast<std::size_t>(count),
                               MadeItem{.rank = rank, .seconds = 1});
}

TEST(LiveRun, JoinsCellsOfLargeMaps) {
  for (const std::int64_t side : {255, 256, 257, 512, 513}) {
    const Json map = items_json({side, 2, 8, 8}, made_by(3, 2 * side), {"cpu"});
    const std::int64_t joined = side <= 256 ? 1 : side <= 512 ? 2 : 3;
    EXPECT_EQ(map["columns"], (side + joined - 1) / joined) << side;
    EXPECT_EQ(map["tile_width"], 8 * joined) << side;
    EXPECT_EQ(map["state"].size(),
              map["columns"].get<std::size_t>() * map["rows"].get<std::size_t>());
    EXPECT_EQ(map["state"][0], 1);
  }
}

TEST(LiveRun, CountsPartsOfCells) {
  std::vector<MadeItem> items = made_by(0, 300);
  items[1].rank = MadeItem::kMissing;
  items[2].start_s = 7;
  const Json map = items_json({300, 1}, items, {"cpu"});
  EXPECT_EQ(map["state"][0], 0.5);
  EXPECT_EQ(map["seconds"][0], 1.0);
  EXPECT_EQ(map["seconds"][1], 2.0);
  EXPECT_EQ(map["ended"][0], 1.0);
  EXPECT_EQ(map["ended"][1], 8.0);
}

TEST(LiveRun, KnowsWhatEarlierRunsFinished) {
  LiveRun run("render", "a.h5", "1", base::Clock::now());
  run.set_grid({2, 2});
  run.begin("render", "tile", 4, {true, false, true}, 8);
  run.store(1, {.rank = 5});
  const Json now = run.document();
  EXPECT_EQ(now["done"], 3);
  EXPECT_EQ(now["workers"], 8);
  EXPECT_EQ(now["tiles"]["state"], Json({1, 1, 1, 0.0}));
  EXPECT_EQ(now["tiles"]["rank"], Json({-1, 5, -1, -1}));
  EXPECT_EQ(now["left_s"], nullptr);
}

TEST(LiveRun, OtherFarmsAreOnlyStages) {
  LiveRun run("render", "a.h5", "1", base::Clock::now());
  run.begin("plan", "tile", 9, {}, 1);
  run.store(8, {.rank = 0});
  EXPECT_EQ(run.document()["stage"], "plan");
  EXPECT_EQ(run.document()["tiles"], nullptr);
  run.begin("render", "tile", 2, {}, 1);
  run.store(1, {.rank = 0});
  run.begin("colour", "band", 1, {}, 1);
  EXPECT_EQ(run.document()["item"], "tile");
  EXPECT_EQ(run.document()["tiles"]["rank"], Json({-1, 0}));
}

TEST(LiveRun, PredictsFromTheWorkOfThisRun) {
  LiveRun run("render", "a.h5", "1", base::Clock::now() - std::chrono::seconds(100));
  run.begin("render", "tile", 4, {true, true}, 1);
  run.estimate(0.5, {});
  EXPECT_EQ(run.document()["left_s"], nullptr);
  run.estimate(0.75, {{0, 1}});
  EXPECT_GE(run.document()["left_s"], 0);
  EXPECT_EQ(run.document()["ranks"][0]["now"], "1 tile queued");
}

TEST(LiveRun, LanesOfARankAreItemsAtTheSameTime) {
  const std::vector<TimedItem> items = {{"compute", 0, {.rank = 1, .start_s = 0, .seconds = 4}},
                                        {"compute", 1, {.rank = 1, .start_s = 1, .seconds = 1}},
                                        {"compute", 2, {.rank = 1, .start_s = 5, .seconds = 2}}};
  const Json lanes = timeline_json(items, 10);
  ASSERT_EQ(lanes.size(), 2);
  EXPECT_EQ(lanes[0]["spans"].size(), 2);
  EXPECT_EQ(lanes[0]["spans"][1], Json({"compute", 2, 5.0, 7.0}));
}

TEST(LiveRun, ShowsTheItemsOfAllPassesAndFarms) {
  LiveRun run("reduce", "a.npy", "1", base::Clock::now() - std::chrono::seconds(10));
  run.begin("reduce", "slice", 2, {}, 1);
  run.store(0, {.rank = 0, .start_s = 1, .seconds = 1});
  run.begin("reduce", "slice", 2, {}, 1);
  run.store(1, {.rank = 0, .start_s = 3, .seconds = 1});
  run.begin("verify", "slice", 2, {}, 1);
  run.store(0, {.rank = 1, .start_s = 5, .seconds = 2});
  const Json lanes = run.document()["timeline"];
  ASSERT_EQ(lanes.size(), 2);
  EXPECT_EQ(lanes[0]["spans"], Json({{"reduce", 0, 1.0, 2.0}, {"reduce", 1, 3.0, 4.0}}));
  EXPECT_EQ(lanes[1]["spans"], Json::array({Json({"verify", 0, 5.0, 7.0})}));
}

TEST(LiveRun, KeepsTheTimesThatARenderTells) {
  LiveRun run("render", "a.h5", "1", base::Clock::now() - std::chrono::seconds(10));
  run.begin("render", "tile", 1, {}, 1);
  run.take_time(0, {.rank = 2, .start_s = 1, .seconds = 2}, "cpu");
  run.store(0, {.rank = 2, .start_s = 0, .seconds = 5});
  EXPECT_EQ(run.document()["timeline"][0]["spans"][0], Json({"compute", 0, 1.0, 3.0}));
}

TEST(LiveRun, ForgetsTheShortestItemsFirst) {
  LiveRun run("reduce", "a.npy", "1", base::Clock::now() - std::chrono::seconds(100));
  run.begin("sort", "slice", 1 << 16, {}, 1);
  run.store(0, {.rank = 7, .start_s = 90, .seconds = 5});
  for (int i = 1; i < 1 << 16; ++i) {
    run.store(i, {.rank = 0, .start_s = 1e-3F * static_cast<float>(i), .seconds = 5e-4F});
  }
  const Json lanes = run.document()["timeline"];
  EXPECT_EQ(lanes.back()["name"], "rank 7");
}

TEST(LiveRun, TellsTheMemoryOfRanks) {
  LiveRun run("reduce", "a.npy", "1", base::Clock::now());
  run.set_power(3, 412.5);
  run.set_memory(0, 100);
  run.set_memory(3, 50);
  run.set_memory(3, 70);
  const Json now = run.document();
  EXPECT_EQ(now["memory_bytes"], 170);
  EXPECT_EQ(now["ranks"][1]["memory_bytes"], 70);
}

TEST(LiveRun, JoinsSpansTooShortToBeSeen) {
  RankReport rank{.threads = {{.name = "worker 0"}}};
  for (int i = 0; i < 1000; ++i) {
    rank.threads[0].spans.push_back({Stage::compute, i, i * 1e-4, (i + 1) * 1e-4});
  }
  const Json lanes = timeline_json(std::span(&rank, 1), 1000);
  ASSERT_EQ(lanes[0]["spans"].size(), 1);
  EXPECT_NEAR(lanes[0]["spans"][0][3].get<double>(), 0.1, 1e-9);
}

TEST(LiveRun, ShowsTheFirstLanes) {
  for (const std::size_t threads : {255, 256, 257}) {
    RankReport rank;
    rank.threads.resize(threads, {.name = "worker", .spans = {{Stage::compute, 0, 0, 1}}});
    EXPECT_EQ(timeline_json(std::span(&rank, 1), 1).size(), std::min<std::size_t>(threads, 256));
  }
}

TEST(LiveRun, KeepsTheFirstMessages) {
  LiveRun run("render", "a.h5", "1", base::Clock::now());
  for (int i = 0; i < 201; ++i) run.note("message");
  EXPECT_EQ(run.document()["messages"].size(), 200);
}

}  // namespace
}  // namespace tessera::report
