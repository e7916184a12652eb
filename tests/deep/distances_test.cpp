// Distances of deep pixels against the potential, which MPFR computes at their neighbours.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "deep/deep_block.hpp"
#include "formulas.hpp"
#include "potential.hpp"

namespace tessera::deep {
namespace {

constexpr std::int64_t kDistanceSide = std::int64_t{1} << 20;

struct Spot {
  const char* name;
  const char *re, *im, *width;
  std::uint32_t iterations;
  Formula formula = {};
};

/// It leads to a fixed point of z^4 + c.
const char* const kRootOfMinus2 =
    "-1."
    "2599210498948731647672106072782283505702514647015079800819751121552996765139594837293965624362"
    "5509415431025603561566525939902404061373722845911030426935524696064261662500097747452656548030"
    "6867185405518689245872516764199373709695098382783161399155129313695366183947463448576570303119"
    "09589598474110598116290705359081647801147352132548477129788024";

const Spot kSpots[] = {
    {"wiki", "-0.743643887037151", "0.131825904205330", "3.85e-11", 14000},
    {"tip", "-2", "0", "3e-20", 1000},
    {"tip_below_f64", "-2", "0", "3e-400", 2000},
    {"antenna_below_f64", "0", "1", "3e-340", 5000},
    {"ship", "-1.7551", "-0.0261", "1e-9", 2000, kShip},
    {"ship_tip", "-2", "1e-21", "3e-20", 1000, kShip},
    {"ship_below_f64", "-2", "1e-390", "3e-380", 3000, kShip},
    {"tricorn", "-0.5", "0.3", "3", 500, kTricorn},
    {"tricorn_tip", "-2", "0", "3e-60", 2000, kTricorn},
    {"tricorn_below_f64", "-2", "0", "3e-400", 3000, kTricorn},
    {"fifth_powers", "0.1", "0", "3", 500, multibrot(5)},
    {"fourth_powers_below_f64", kRootOfMinus2, "0", "3e-320", 3000, multibrot(4)},
    {"julia", "0", "1", "1e-12", 3000, julia("0", "1")},
    {"julia_dust", "0.1", "0.2", "3", 1000, julia("-0.8", "0.156")},
    {"julia_below_f64", "2", "0", "3e-400", 3000, julia("-2", "0")},
    {"julia_beside_0", "0", "0", "1e-30", 4000, julia("0", "1")},
};

class Distances : public testing::TestWithParam<Spot> {};

TEST_P(Distances, are_the_potential_over_its_slope) {
  const Spot& spot = GetParam();
  const Place place{.center_re = spot.re,
                    .center_im = spot.im,
                    .width = spot.width,
                    .size_px = {kDistanceSide, kDistanceSide},
                    .iterations = spot.iterations,
                    .distance = true,
                    .formula = spot.formula};
  const DeepImage image = prepare_image(place);
  int outside = 0;
  for (int i = 0; i < 24; ++i) {
    const std::int64_t column = kDistanceSide / 50 * (7 * i % 49) + 11;
    const std::int64_t row = kDistanceSide / 50 * (13 * i % 47) + 5;
    const DeepBlock block = render_block(image, {column, row, 1, 1});
    const float got = block.distance.front();
    if (block.counts.front() == place.iterations) {
      EXPECT_EQ(got, 0);
      continue;
    }
    // A difference over two pixels is the slope only where the set is far from both.
    if (got < 50) continue;
    const CountedPixel defined = pixel_by_definition(place, column, row);
    const auto at = [&](std::int64_t x, std::int64_t y) {
      return log_potential(place, defined.smooth_m, column + x, row + y);
    };
    const double slope = std::hypot(at(1, 0) - at(-1, 0), at(0, -1) - at(0, 1)) / 2;
    if (std::isnan(slope)) continue;
    ++outside;
    EXPECT_NEAR(got * slope, 1, 1e-3) << column << "," << row;
    const double same = kernels::ts_distance_of(defined.smooth_radius2, defined.smooth_slope2);
    EXPECT_NEAR(got / same, 1, 1e-6) << column << "," << row;
  }
  EXPECT_GT(outside, 8);
}

TEST(FirstDistances, are_those_of_pixels_beyond_the_smooth_radius) {
  const Place place{.center_re = "300",
                    .center_im = "1",
                    .width = "1e-20",
                    .size_px = {8, 8},
                    .iterations = 100,
                    .distance = true,
                    .formula = julia("-0.8", "0.156")};
  const DeepBlock block = render_block(prepare_image(place), {3, 2, 1, 1});
  const double radius = std::hypot(300, 1);
  EXPECT_NEAR(block.distance.front() / (radius * std::log(radius) / (1e-20 / 8)), 1, 1e-6);
}

/// Uncertain pixels are computed with other arithmetic.
/// The difference of the centre pixel from the reference is 0.
TEST(CentreDistances, below_the_range_of_f64_are_those_of_the_definition) {
  std::string outside = kRootOfMinus2;
  ++outside.back();
  const Place place{.center_re = outside,
                    .center_im = "0",
                    .width = "3e-320",
                    .size_px = {3, 3},
                    .iterations = 3000,
                    .distance = true,
                    .formula = multibrot(4)};
  const CountedPixel defined = pixel_by_definition(place, 1, 1);
  ASSERT_LT(defined.count, place.iterations);
  const DeepBlock block = render_block(prepare_image(place), {0, 0, 3, 3});
  EXPECT_EQ(block.counts[4], defined.count);
  const double wanted = kernels::ts_distance_of(defined.smooth_radius2, defined.smooth_slope2);
  EXPECT_NEAR(block.distance[4] / wanted, 1, 1e-6);
}

TEST(UncertainDistances, agree_with_those_of_f64) {
  Place place{.center_re = "-0.743643887037151",
              .center_im = "0.131825904205330",
              .width = "3.85e-11",
              .size_px = {48, 32},
              .iterations = 14000,
              .distance = true};
  const base::PixelRect all{0, 0, 48, 32};
  const DeepBlock exact = render_block(prepare_image(place), all);
  place.exact = false;
  const DeepBlock quick = render_block(prepare_image(place), all);
  EXPECT_GT(exact.uncertain, 0U);
  for (std::size_t i = 0; i < exact.counts.size(); ++i) {
    if (exact.counts[i] != quick.counts[i]) continue;
    EXPECT_NEAR(quick.distance[i], exact.distance[i], 1e-3 * exact.distance[i] + 1e-6);
  }
}

/// The field does not change what else is stored.
TEST(DeepDistances, leave_the_counts_alone) {
  Place place{.center_re = "-0.743643887037151",
              .center_im = "0.131825904205330",
              .width = "3.85e-11",
              .size_px = {48, 32},
              .iterations = 14000};
  const base::PixelRect all{0, 0, 48, 32};
  const DeepBlock plain = render_block(prepare_image(place), all);
  place.distance = true;
  const DeepBlock block = render_block(prepare_image(place), all);
  EXPECT_EQ(block.counts, plain.counts);
  EXPECT_TRUE(plain.distance.empty());
  EXPECT_TRUE(block.smooth.empty());
}

INSTANTIATE_TEST_SUITE_P(Spots, Distances, testing::ValuesIn(kSpots),
                         [](const auto& test) { return std::string(test.param.name); });

/// Places with and without points inside.
const Place kInteriors[] = {
    {.center_re = "-1.768", .center_im = "0", .width = "0.05", .size_px = {64, 48}},
    {.center_re = "-0.1", .center_im = "0.1", .width = "1e-30", .size_px = {8, 8}},
    {.center_re = "-0.7435", .center_im = "0.1314", .width = "0.002", .size_px = {64, 48}},
    {.center_re = "-0.75", .center_im = "0.01", .width = "0.02", .size_px = {64, 48}},
};

TEST(DerivativeInterior, finds_the_points_inside_sooner_and_no_others) {
  std::uint64_t steps_of_proven = 0;
  std::uint64_t steps = 0;
  for (Place place : kInteriors) {
    place.iterations = 20000;
    const base::PixelRect all{0, 0, place.size_px.width, place.size_px.height};
    const DeepBlock proven = render_block(prepare_image(place), all);
    place.derivative_interior = true;
    const DeepBlock block = render_block(prepare_image(place), all);
    EXPECT_EQ(block.counts, proven.counts) << place.center_re;
    EXPECT_LE(block.executed, proven.executed) << place.center_re;
    steps_of_proven += proven.executed;
    steps += block.executed;
  }
  EXPECT_LT(2 * steps, steps_of_proven);
}

}  // namespace
}  // namespace tessera::deep
