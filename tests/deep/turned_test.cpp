// Deep pictures that are turned, stretched or mirrored: counts are those of MPFR, distances the
// potential over its slope in the picture.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "deep/deep_block.hpp"
#include "formulas.hpp"
#include "plane/matrix.hpp"
#include "potential.hpp"

namespace tessera::deep {
namespace {

using plane::Matrix;

const std::array<Matrix, 5>& matrices() {
  static const std::array<Matrix, 5> all = {
      plane::rounded(plane::rotation(90.0)), plane::rounded(plane::rotation(30.0)),
      plane::rounded(plane::diagonal(1, -1)),
      plane::rounded(plane::rotation(-117.3) * plane::stretch(20.0, 2.0)),
      plane::rounded(plane::stretch(61.0, 64.0))};
  return all;
}

const Place kPlaces[] = {
    {.center_re = "-0.743643887037151",
     .center_im = "0.131825904205330",
     .width = "3.85e-11",
     .iterations = 6000},
    {.center_re = "-2", .center_im = "0", .width = "3e-400", .iterations = 2000},
    {.center_re = "-1.7551",
     .center_im = "-0.0261",
     .width = "1e-9",
     .iterations = 2000,
     .formula = kShip},
    {.center_re = "-2",
     .center_im = "0",
     .width = "3e-60",
     .iterations = 2000,
     .formula = kTricorn},
    {.center_re = "0",
     .center_im = "1",
     .width = "1e-12",
     .iterations = 3000,
     .formula = julia("0", "1")},
};

class Turned : public testing::TestWithParam<Place> {};

TEST_P(Turned, counts_are_those_of_the_definition) {
  Place place = GetParam();
  place.size_px = {96, 54};
  for (const Matrix& matrix : matrices()) {
    place.matrix = matrix;
    const DeepImage image = prepare_image(place);
    for (int i = 0; i < 24; ++i) {
      const std::int64_t column = 7 * i % 96;
      const std::int64_t row = 13 * i % 54;
      const DeepBlock block = render_block(image, {column, row, 1, 1});
      EXPECT_EQ(block.counts[0], pixel_by_definition(place, column, row).count)
          << plane::text_of(matrix) << " at " << column << "," << row;
    }
  }
}

/// As they lie in the plane: the pixels of a mirror image are those of the picture, upside down.
TEST_P(Turned, a_mirror_and_half_a_turn_move_pixels) {
  Place place = GetParam();
  place.size_px = {12, 8};
  const DeepBlock upright = render_block(prepare_image(place), {0, 0, 12, 8});
  place.matrix = {1, 0, 0, -1};
  const DeepBlock mirror = render_block(prepare_image(place), {0, 0, 12, 8});
  place.matrix = {-1, 0, 0, -1};
  const DeepBlock half_turn = render_block(prepare_image(place), {0, 0, 12, 8});
  for (std::size_t i = 0; i < 96; ++i) {
    EXPECT_EQ(mirror.counts[(7 - i / 12) * 12 + i % 12], upright.counts[i]);
    EXPECT_EQ(half_turn.counts[95 - i], upright.counts[i]);
  }
}

TEST_P(Turned, distances_are_the_potential_over_its_slope) {
  constexpr std::int64_t kSide = std::int64_t{1} << 20;
  Place place = GetParam();
  place.size_px = {kSide, kSide};
  place.distance = true;
  int outside = 0;
  for (const Matrix& matrix : matrices()) {
    place.matrix = matrix;
    const DeepImage image = prepare_image(place);
    for (int i = 0; i < 12; ++i) {
      const std::int64_t column = kSide / 50 * (7 * i % 49) + 11;
      const std::int64_t row = kSide / 50 * (13 * i % 47) + 5;
      const DeepBlock block = render_block(image, {column, row, 1, 1});
      const float got = block.distance.front();
      // A difference over two pixels is the slope only where the set is far from both.
      if (got < 50) continue;
      const CountedPixel defined = pixel_by_definition(place, column, row);
      const auto at = [&](std::int64_t x, std::int64_t y) {
        return log_potential(place, defined.smooth_m, column + x, row + y);
      };
      const double slope = std::hypot(at(1, 0) - at(-1, 0), at(0, -1) - at(0, 1)) / 2;
      if (std::isnan(slope)) continue;
      ++outside;
      EXPECT_NEAR(got * slope, 1, 2e-3) << plane::text_of(matrix);
      const double same = kernels::ts_distance_of(defined.smooth_radius2, defined.smooth_slope2);
      EXPECT_NEAR(got / same, 1, 1e-6) << plane::text_of(matrix);
    }
  }
  EXPECT_GT(outside, 8);
}

INSTANTIATE_TEST_SUITE_P(Places, Turned, testing::ValuesIn(kPlaces));

}  // namespace
}  // namespace tessera::deep
