#include "post/color/band_plan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "codec/png_band.hpp"

namespace tessera::post {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

BandRequest request_of(base::ImageSize image, std::int64_t tile_px, std::uint64_t memory_mib,
                       int lanes) {
  return {.region = {0, 0, image.width, image.height},
          .chunk_px = {std::min(tile_px, image.width), std::min(tile_px, image.height)},
          .type = base::ElementType::f32,
          .memory_bytes = memory_mib * kMiB,
          .lanes = lanes,
          .lanes_of_all = lanes};
}

TEST(BandPlan, bands_cover_the_picture_once) {
  for (const BandPlan& bands :
       {BandPlan{{5, 7, 100, 64}, 1, 64}, BandPlan{{0, 0, 101, 999}, 3, 50},
        BandPlan{{1, 1, 1024, 1025}, 1024, 1}, BandPlan{{0, 3, 7, 1000}, 7, 1000}}) {
    std::int64_t rows = 0;
    for (std::int64_t band = 0; band < bands.count(); ++band) {
      const base::PixelRect source = bands.source_of(band);
      EXPECT_EQ(source.x, bands.region.x);
      EXPECT_EQ(source.y, bands.region.y + rows * bands.scale);
      EXPECT_EQ(source.height, bands.size_of(band).height * bands.scale);
      EXPECT_EQ(source.width, bands.size_of(band).width * bands.scale);
      EXPECT_LE(source.y + source.height, bands.region.y + bands.region.height);
      EXPECT_GE(bands.rows_of(band), 1);
      rows += bands.rows_of(band);
    }
    EXPECT_EQ(rows, bands.picture_px().height);
  }
}

TEST(PlanBands, makes_bands_as_high_as_tiles_for_all_lanes_where_memory_is_plenty) {
  const BandBudget budget = plan_bands(request_of({16384, 16384}, 512, 2048, 2));
  EXPECT_EQ(budget.rows, 512);
  EXPECT_EQ(budget.lanes, 2);
  EXPECT_EQ(budget.window, 10);
}

TEST(PlanBands, has_bands_for_every_lane_of_a_small_picture) {
  const BandBudget budget = plan_bands(request_of({4096, 4096}, 4096, 4096, 8));
  EXPECT_EQ(budget.rows, 128);  // 32 bands
}

TEST(PlanBands, stays_within_the_memory_for_every_shape_and_lets_at_least_one_lane_work) {
  int planned = 0;
  for (const base::ImageSize image :
       {base::ImageSize{1, 1}, {61, 40}, {16384, 16384}, {131072, 131072}, {2'000'000'000, 3}}) {
    for (const std::int64_t tile_px : {1, 512, 4096}) {
      for (const std::uint64_t memory_mib : {128, 512, 2048, 300'000}) {
        for (const int lanes : {1, 3, 64}) {
          for (const int scale : {1, 7, 1024}) {
            BandRequest request = request_of(image, tile_px, memory_mib, lanes);
            request.scale = scale;
            request.lanes_of_all = 3 * lanes;
            if (image.width < scale || image.height < scale) continue;
            try {
              const BandBudget budget = plan_bands(request);
              EXPECT_LE(budget.total_bytes(), request.memory_bytes);
              EXPECT_GE(budget.rows, 1);
              EXPECT_GE(budget.lanes, 1);
              EXPECT_LE(budget.lanes, lanes);
              EXPECT_GE(budget.window, 1);
              ++planned;
            } catch (const base::Error&) {
              EXPECT_LT(memory_mib, 300'000U);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 300);
}

TEST(PlanBands, leaves_lanes_idle_rather_than_refuse) {
  // Three copies of a chunk of 64 MiB a lane: four lanes want 768 MiB and more.
  const BandRequest request = request_of({8192, 8192}, 4096, 1024, 4);
  const BandBudget budget = plan_bands(request);
  EXPECT_GE(budget.lanes, 1);
  EXPECT_LT(budget.lanes, 4);
  EXPECT_GE(budget.lanes_bytes, static_cast<std::uint64_t>(budget.lanes) * 3 * 64 * kMiB);
}

TEST(PlanBands, refuses_only_what_one_lane_cannot_do_and_says_how_much_can) {
  for (const base::ImageSize image : {base::ImageSize{1'000'000'000, 40}, {16384, 16384}}) {
    BandRequest request = request_of(image, 16384, 200, 16);
    try {
      plan_bands(request);
      FAIL() << "fits in 200 MiB?";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::usage);
      const std::string text = error.what();
      EXPECT_EQ(text.find("--memory 200 MiB"), 0U) << text;
      const auto at = text.find("needs ") + 6;
      const std::string need = text.substr(at, text.find(" a rank") - at);
      // "12.3 GiB" is rounded: a hundredth more is surely enough, a tenth less surely is not.
      request.memory_bytes = base::parse_bytes(need, "need") * 101 / 100;
      EXPECT_EQ(plan_bands(request).lanes, 1);
      request.memory_bytes = request.memory_bytes * 9 / 10;
      EXPECT_THROW(plan_bands(request), base::Error);
    }
  }
}

TEST(PlanBands, needs_no_more_memory_for_a_larger_scale) {
  // The source of a band is 1024 times 1024 as large as the band.
  BandRequest request = request_of({131072, 131072}, 512, 160, 2);
  for (request.scale = 1; request.scale <= 1024; request.scale *= 2) {
    EXPECT_GE(plan_bands(request).rows, 1) << request.scale;
  }
}

TEST(PlanBands, takes_a_height_that_another_rank_decided) {
  const BandRequest request = request_of({16384, 16384}, 512, 2048, 2);
  const BandBudget budget = plan_bands(request, 100);
  EXPECT_EQ(budget.rows, 100);
  EXPECT_LT(budget.lanes_bytes, plan_bands(request).lanes_bytes);
}

TEST(PlanBands, has_room_for_parcels_of_noise) {
  std::mt19937 random(3);
  for (const base::ImageSize band : {base::ImageSize{1, 1}, {1, 500}, {700, 300}}) {
    base::Bytes rgb(static_cast<std::size_t>(band.pixels()) * 3);
    for (std::byte& b : rgb) b = static_cast<std::byte>(random());
    BandRequest request = request_of(band, 512, 128, 1);
    const BandBudget budget = plan_bands(request, band.height);
    const std::size_t result_chunk =
        codec::PngBandEncoder().encode(rgb, band.width).deflated.size() + 12;
    EXPECT_LE(result_chunk * static_cast<std::uint64_t>(budget.window), budget.early_bytes);
    EXPECT_LE(result_chunk, budget.queue_bytes);
  }
}

}  // namespace
}  // namespace tessera::post
