#include "plan/tile_choice.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

constexpr base::ImageSize kLarge{131072, 131072};
constexpr std::uint64_t kH200 = 132 * 2048;

TEST(TileChoice, IsTheUsualTileForCores) {
  EXPECT_EQ(auto_tile_px(kLarge, {.gpu_threads = 0, .lanes = 16, .largest_px = 4096}), 512);
}

TEST(TileChoice, GrowsWithTheGpu) {
  const auto of = [](std::uint64_t threads) {
    return auto_tile_px(kLarge, {.gpu_threads = threads, .lanes = 20, .largest_px = 4096});
  };
  EXPECT_EQ(of(512 * 512 / 8), 512);
  EXPECT_EQ(of(512 * 512 / 8 + 1), 1024);
  EXPECT_EQ(of(kH200), 2048);
  EXPECT_EQ(of(100 * kH200), 4096);
}

TEST(TileChoice, LeavesSomeTilesForEveryLane) {
  const auto of = [](std::int64_t side, int lanes) {
    return auto_tile_px({side, side}, {.gpu_threads = kH200, .lanes = lanes, .largest_px = 4096});
  };
  EXPECT_EQ(of(16384, 16), 2048);
  EXPECT_EQ(of(16384, 17), 1024);
  EXPECT_EQ(of(1000, 20), 512);
}

TEST(TileChoice, LeavesHalfATileForEveryLaneOfDeepImagesOnGpus) {
  const auto of = [](std::int64_t side, int lanes) {
    return auto_tile_px(
        {side, side},
        {.gpu_threads = kH200, .lanes = lanes, .largest_px = 4096, .deep_on_gpus = true});
  };
  EXPECT_EQ(of(4096, 20), 1024);
  EXPECT_EQ(of(4096, 33), 1024);
  EXPECT_EQ(of(4096, 34), 512);
  EXPECT_EQ(of(2048, 20), 512);
  EXPECT_EQ(of(131072, 20), 2048);
}

TEST(TileChoice, HalvesTilesThatTakeLong) {
  EXPECT_EQ(quick_tile_px(512, kQuickDeepSteps, true), 512);
  EXPECT_EQ(quick_tile_px(512, kQuickDeepSteps * 1.001, true), 256);
  EXPECT_EQ(quick_tile_px(512, kQuickDeepSteps * 4.001, true), 128);
  EXPECT_EQ(quick_tile_px(512, kQuickDeepSteps * 1e6, true), kMinAutoTilePx);
  EXPECT_EQ(quick_tile_px(512, kQuickPlainSteps, false), 512);
  EXPECT_EQ(quick_tile_px(512, kQuickPlainSteps * 1.001, false), 256);
  EXPECT_EQ(quick_tile_px(1024, 1, true), 1024);
}

TEST(TileChoice, LeavesDearDeepImagesToTheGpu) {
  EXPECT_FALSE(is_dear_for_cores(2.5 * kQuickDeepSteps, 1));
  EXPECT_TRUE(is_dear_for_cores(2.6 * kQuickDeepSteps, 1));
  EXPECT_FALSE(is_dear_for_cores(40 * kQuickDeepSteps, 16));
  EXPECT_TRUE(is_dear_for_cores(40.1 * kQuickDeepSteps, 16));
}

TEST(TileChoice, FitsIntoTheMemoryOfEveryRank) {
  const TileFacts gpu{.gpu_threads = kH200, .lanes = 20, .largest_px = 4096};
  const TileFacts small{.gpu_threads = 0, .lanes = 2, .largest_px = 1500};
  const TileFacts both = joined(gpu, small);
  EXPECT_EQ(both.lanes, 22);
  EXPECT_FALSE(joined({.deep_on_gpus = true}, small).deep_on_gpus);
  EXPECT_EQ(auto_tile_px(kLarge, both), 1024);
  EXPECT_EQ(auto_tile_px(kLarge, joined(gpu, {.lanes = 1, .largest_px = 0})), 512);
}

}  // namespace
}  // namespace tessera::plan
