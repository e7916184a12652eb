#include "plan/preview.hpp"

#include <gtest/gtest.h>

#include <array>

#include "plan/file_size.hpp"

namespace tessera::plan {
namespace {

job::ImageSpec image_of(std::int64_t width, std::int64_t height) {
  return {.center_re = -0.5, .center_im = 0.25, .width = 2.0, .size_px = {width, height}};
}

/// Left upper corner and lower right corner of a pixel rectangle in the complex plane.
std::array<double, 4> corners(const job::ImageSpec& image, const base::PixelRect& rect) {
  const auto re = [&](double x) {
    return image.center_re + (x - static_cast<double>(image.size_px.width) / 2) * image.step();
  };
  const auto im = [&](double y) {
    return image.center_im + (static_cast<double>(image.size_px.height) / 2 - y) * image.step();
  };
  return {re(static_cast<double>(rect.x)), im(static_cast<double>(rect.y)),
          re(static_cast<double>(rect.x + rect.width)),
          im(static_cast<double>(rect.y + rect.height))};
}

TEST(Preview, samples_each_tile_where_the_tile_is) {
  for (const auto [width, height, tile] : {std::array{1000, 700, 128},
                                           {512, 512, 512},
                                           {3840, 2160, 512},
                                           {100, 90, 7},
                                           {5, 3, 512}}) {
    const job::ImageSpec image = image_of(width, height);
    const TileGrid tiles{image.size_px, tile};
    const Preview preview = make_preview(image, tiles);
    ASSERT_EQ(preview.tiles_per_cell, 1);
    ASSERT_EQ(preview.cells.count(), tiles.count());
    for (std::int64_t t = 0; t < tiles.count(); ++t) {
      const auto cell = corners(preview.image, preview.cells.rect(t));
      auto rect = tiles.rect(t);
      rect.width = rect.height = tile;  // a cell samples the whole tile, also at the edge
      const auto wanted = corners(image, rect);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(cell[i], wanted[i], 1e-9);
    }
  }
}

TEST(Preview, of_a_terapixel_stays_small) {
  const job::ImageSpec image = image_of(1 << 20, 1 << 20);
  const TileGrid tiles{image.size_px, 512};
  const Preview preview = make_preview(image, tiles);
  EXPECT_LE(preview.cells.count(), 1 << 16);
  EXPECT_LE(preview.image.size_px.pixels(), 8 << 20);
}

TEST(Preview, of_more_than_65536_tiles_has_several_in_a_cell) {
  for (const auto [columns, tiles_per_cell, cells] :
       {std::array{65535, 1, 65535}, {65536, 1, 65536}, {65537, 2, 32769}}) {
    const job::ImageSpec image = image_of(columns, 1);
    const Preview preview = make_preview(image, {image.size_px, 1});
    EXPECT_EQ(preview.tiles_per_cell, tiles_per_cell);
    EXPECT_EQ(preview.cells.count(), cells);
  }
}

TEST(PredictCosts, follow_the_executed_steps_and_the_area) {
  const job::ImageSpec image = image_of(96, 64);
  const TileGrid tiles{image.size_px, 64};
  const Preview preview = make_preview(image, tiles);
  ASSERT_EQ(preview.cells.count(), 2);
  const auto samples = static_cast<std::uint64_t>(preview.cells.tile_px * preview.cells.tile_px);
  const std::vector<std::uint64_t> executed = {100 * samples, 10 * samples};
  const auto costs = predict_costs(preview, tiles, executed);
  EXPECT_FLOAT_EQ(costs[0], static_cast<float>((100 + kPixelCostSteps) * 64 * 64));
  EXPECT_FLOAT_EQ(costs[1], static_cast<float>((10 + kPixelCostSteps) * 32 * 64));
}

TEST(Preview, of_a_deep_image_takes_pixels_of_the_image) {
  job::ImageSpec image = image_of(1000, 500);
  image.arithmetic = job::Arithmetic::perturbation;
  const TileGrid tiles{image.size_px, 256};
  const Preview preview = make_preview(image, tiles);
  ASSERT_EQ(preview.cells.tile_px, 8);
  // The middle of samples that are 32 pixels apart.
  EXPECT_EQ(sampled_pixels(preview, image.size_px, {0, 0, 1, 1}), (base::PixelRect{16, 16, 1, 1}));
  EXPECT_EQ(sampled_pixels(preview, image.size_px, {8, 10, 4, 2}),
            (base::PixelRect{318, 351, 4, 2}));
  // The last cells reach beyond the image.
  EXPECT_EQ(sampled_pixels(preview, image.size_px, {31, 15, 1, 1}),
            (base::PixelRect{999, 496, 1, 1}));
  EXPECT_EQ(sampled_pixels(preview, {940, 470}, {28, 14, 4, 2}), (base::PixelRect{936, 468, 4, 2}));
  EXPECT_EQ(sampled_pixels(preview, {3, 1}, {0, 0, 4, 2}), (base::PixelRect{0, 0, 3, 1}));
}

TEST(FileSize, of_an_uncompressed_file_is_its_raw_size_and_a_little) {
  job::RenderJob job;
  job.image.size_px = {4096, 4096};
  job.compress = 0;
  const TileGrid tiles{job.image.size_px, job.tile_px};
  const FileSizeRange range = file_size_range(job, tiles);
  EXPECT_GE(range.min_bytes, 4096U * 4096U * 2U);
  EXPECT_LE(range.max_bytes, range.min_bytes + 64 * 200 + 2 * 4096 * 8 + 16384) << "axes, text";
  job.compress = 1;
  EXPECT_LT(file_size_range(job, tiles).min_bytes, 64U * 1024U);
}

}  // namespace
}  // namespace tessera::plan
