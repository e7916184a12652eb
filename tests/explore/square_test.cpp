// Squares as blocks of images.
#include "explore/square.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"

namespace tessera::explore {
namespace {

const Place kStart{.id = 1, .center_re = "-5e-1", .center_im = "25e-2", .span = "2e0"};

SquareKey key_at(int level, std::int64_t x, std::int64_t y, int coarse = 1) {
  SquareKey key;
  key.place = 1;
  key.level = level;
  key.x = x;
  key.y = y;
  key.coarse = coarse;
  key.formula = "mandelbrot";
  return key;
}

/// Left edge and top edge of a block in the plane.
std::pair<double, double> corner_of(const SquareImage& square) {
  const double step = square.image.step();
  const auto half = static_cast<double>(square.image.size_px.width) / 2;
  return {square.image.center_re + (static_cast<double>(square.block.x) - half) * step,
          square.image.center_im - (static_cast<double>(square.block.y) - half) * step};
}

TEST(Squares, lie_round_the_place) {
  const job::RenderJob job;
  for (const std::int64_t x : {-9, -1, 0, 7, 300}) {
    const SquareImage square = image_of(job, kStart, key_at(3, x, -x));
    EXPECT_EQ(square.image.step(), 2.0 / 8 / 256);
    const auto [re, im] = corner_of(square);
    EXPECT_EQ(re, -0.5 + static_cast<double>(x) * 0.25) << x;
    EXPECT_EQ(im, 0.25 + static_cast<double>(x) * 0.25) << x;
  }
}

TEST(Squares, a_coarse_one_has_the_same_area) {
  const job::RenderJob job;
  const SquareImage fine = image_of(job, kStart, key_at(3, 5, -2));
  const SquareImage coarse = image_of(job, kStart, key_at(3, 5, -2, 8));
  EXPECT_EQ(coarse.block.width, 32);
  EXPECT_EQ(coarse.image.step(), fine.image.step() * 8);
  EXPECT_EQ(corner_of(coarse), corner_of(fine));
}

TEST(Squares, neighbours_share_an_image) {
  const job::RenderJob job;
  EXPECT_EQ(image_of(job, kStart, key_at(30, 0, 0)).image,
            image_of(job, kStart, key_at(30, -8, 7)).image);
  // 4096 pixels are 8 squares to each side.
  EXPECT_NE(image_of(job, kStart, key_at(30, 0, 0)).image,
            image_of(job, kStart, key_at(30, 8, 0)).image);
}

TEST(Squares, arithmetic_follows_the_distance_of_pixels) {
  const job::RenderJob job;
  const auto deep = [&](int level) {
    return image_of(job, kStart, key_at(level, 0, 0)).image.deep();
  };
  // 2 / 2^25 / 2^8 is 2^-32.
  EXPECT_FALSE(deep(25 - 1));
  EXPECT_FALSE(deep(25));
  EXPECT_TRUE(deep(26));
  const Place far{.id = 2, .center_re = "-5e-1", .center_im = "0", .span = "1e-400"};
  const SquareImage square = image_of(job, far, key_at(4, 1, 1));
  EXPECT_TRUE(square.image.deep());
  EXPECT_EQ(square.image.place.width, "1e-400") << "16 squares of a sixteenth";
}

TEST(Squares, of_other_formulas_have_no_end_either) {
  const job::RenderJob job;
  SquareKey key = key_at(24, 0, 0);
  key.formula = "julia:-0.8,0.1560";
  EXPECT_FALSE(image_of(job, kStart, key).image.deep());
  const Place deeper{.id = 2, .center_re = "-5e-1", .center_im = "25e-2", .span = "1e-15"};
  key.level = 0;
  const SquareImage square = image_of(job, deeper, key);
  EXPECT_TRUE(square.image.deep());
  EXPECT_EQ(square.image.formula.constant_im_text, "156e-3");
}

TEST(Squares, iterations_grow_with_the_depth) {
  EXPECT_EQ(default_iterations(kStart, 0), 1000U);
  EXPECT_EQ(default_iterations(kStart, 1), 1000U);
  EXPECT_EQ(default_iterations(kStart, 2), 1250U);
  EXPECT_EQ(default_iterations(kStart, 21), 6000U);
  const Place far{.id = 2, .center_re = "0", .center_im = "0", .span = "1e-300"};
  EXPECT_EQ(default_iterations(far, 0), 1000U + 250 * 997);
}

TEST(Squares, tell_the_range_of_most_counts_outside) {
  constexpr std::uint32_t kLimit = 100'000;
  SquareValues values;
  values.type = base::ElementType::u32;
  values.counts = base::Bytes(256 * 256 * 4);
  for (std::uint32_t pixel = 0; pixel < 256 * 256; ++pixel) {
    const std::uint32_t count = pixel % 2 == 0 ? kLimit : 1000 + pixel / 256;
    std::memcpy(values.counts.data() + 4 * static_cast<std::size_t>(pixel), &count, 4);
  }
  EXPECT_EQ(values.count(0), kLimit);
  EXPECT_EQ(values.count(513), 1002U);
  const auto range = default_counts(values, kLimit);
  ASSERT_TRUE(range);
  EXPECT_NEAR(static_cast<double>(range->low), 1025, 2);
  EXPECT_NEAR(static_cast<double>(range->high), 1230, 2);
  EXPECT_FALSE(default_counts(values, 1000)) << "all are inside";
}

}  // namespace
}  // namespace tessera::explore
