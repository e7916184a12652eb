// Counts at random deep places against counts by MPFR.
//
// usage: random_places_test [--seed N] [--places N] [GoogleTest options]
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "deep/deep_block.hpp"
#include "minibrots.hpp"
#include "seeds.hpp"

namespace tessera::deep {
namespace {

constexpr int kPixels = 64;
constexpr std::int64_t kSide = 512;

/// Most of a place's counts are multiples of the period.
Place image_at(const RandomPlace& at, std::mt19937_64& random) {
  return {.center_re = at.re,
          .center_im = at.im,
          .width = at.width,
          .size_px = {kSide, kSide},
          .iterations =
              static_cast<std::uint32_t>(std::clamp<std::int64_t>(at.period * 20, 5000, 60000)),
          .bailout = random() % 2 == 0 ? 2.0 : 625.0,
          .smooth = random() % 2 == 0};
}

void check_pixels(const Place& place, std::mt19937_64& random) {
  const DeepImage image = prepare_image(place);
  const auto side = [&] { return static_cast<std::int64_t>(random() % kSide); };
  std::uint64_t least = place.iterations;
  std::uint64_t most = 0;
  for (int i = 0; i < kPixels; ++i) {
    const std::int64_t column = side();
    const std::int64_t row = side();
    const CountedPixel truth = pixel_by_definition(place, column, row);
    EXPECT_EQ(render_block(image, {column, row, 1, 1}).counts.front(), truth.count)
        << column << ", " << row;
    least = std::min(least, truth.count);
    most = std::max(most, truth.count);
  }
  // An image of one count would prove nothing.
  EXPECT_LT(least, most);
}

void check_place(unsigned seed, int low, int high) {
  std::mt19937_64 random(seed);
  const int depth = std::uniform_int_distribution(low, high)(random);
  const RandomPlace at = random_place(random, depth);
  SCOPED_TRACE("--seed " + std::to_string(seed) + " --places 1: center " + at.re + "," + at.im +
               " width " + at.width + " period " + std::to_string(at.period));
  check_pixels(image_at(at, random), random);
}

TEST(RandomPlaces, have_the_counts_of_mpfr) {
  for (const unsigned seed : seeds()) check_place(seed, 15, 120);
}

}  // namespace
}  // namespace tessera::deep
