// Counts of every formula at and around special points against MPFR with so many bits that no orbit
// of the limit can lose them: the middle of images, corners, axes of symmetry, nuclei and points
// whose orbits run into a cycle, with far more digits than the image has.
//
// usage: special_places_test [--seed N] [--places N] [GoogleTest options]
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "deep/big_orbit.hpp"
#include "deep/deep_block.hpp"
#include "deep/exact_steps.hpp"
#include "formulas.hpp"
#include "seeds.hpp"
#include "special_points.hpp"

namespace tessera::deep {
namespace {

constexpr std::int64_t kSide = 9;
constexpr std::int64_t kMiddle = kSide / 2;
constexpr std::uint64_t kLimit = 500;
/// Of Newton's method from random points.
constexpr int kTries = 100;
/// A step loses 4 bits, or 5 with a degree of 8.
constexpr std::int64_t kTruthBits = 1200 + 5 * static_cast<std::int64_t>(kLimit);

/// The definition in its plainest form. The width of a pixel is a decimal.
std::uint64_t true_count(const Place& place, const std::string& pixel_width, std::int64_t column,
                         std::int64_t row) {
  const BigComplex pixel{
      BigReal(moved_exactly(place.center_re, pixel_width, column - kMiddle, 0), kTruthBits),
      BigReal(moved_exactly(place.center_im, pixel_width, kMiddle - row, 0), kTruthBits)};
  const BigComplex zero{BigReal(kTruthBits), BigReal(kTruthBits)};
  const Formula& formula = place.formula;
  const bool has_constant = formula.has_constant();
  const BigComplex constant{BigReal(has_constant ? formula.constant_re : "0", kTruthBits),
                            BigReal(has_constant ? formula.constant_im : "0", kTruthBits)};
  BigOrbit z(has_constant ? constant : pixel, has_constant ? pixel : zero,
             {formula.fold(), formula.degree});
  for (std::uint64_t n = 0; n < place.iterations; ++n) {
    if (z.beyond(place.bailout * place.bailout)) return n;
    z.step();
  }
  return place.iterations;
}

using Pixels = std::set<std::pair<std::int64_t, std::int64_t>>;

/// Around the middle, the corners, and where the axes meet the border.
Pixels special_pixels() {
  Pixels pixels;
  for (const std::int64_t column : {std::int64_t{0}, kMiddle, kSide - 1}) {
    for (const std::int64_t row : {std::int64_t{0}, kMiddle, kSide - 1})
      pixels.insert({column, row});
  }
  return pixels;
}

void expect_true_counts(const Place& place, const std::string& pixel_width, const Pixels& pixels) {
  const DeepBlock block = render_block(prepare_image(place), {0, 0, kSide, kSide});
  for (const auto& [column, row] : pixels) {
    EXPECT_EQ(block.counts[static_cast<std::size_t>(row * kSide + column)],
              true_count(place, pixel_width, column, row))
        << column << ", " << row;
  }
}

Formula random_formula(const std::string& name, std::mt19937_64& random) {
  if (name == "mandelbrot") return {};
  if (name == "burning_ship") return kShip;
  if (name == "tricorn") return kTricorn;
  if (name == "multibrot") return multibrot(3 + static_cast<int>(random() % 6));
  constexpr std::array kConstants{std::pair("-0.8", "0.156"), std::pair("0.25", "0"),
                                  std::pair("-0.12256116687665361998", "0.74486176661974423659"),
                                  std::pair("-2", "0"), std::pair("0.4", "0.3")};
  const auto& [re, im] = kConstants.at(random() % kConstants.size());
  return julia(re, im);
}

class SpecialPlaces : public testing::TestWithParam<std::string> {};

TEST_P(SpecialPlaces, have_the_counts_of_mpfr) {
  for (const unsigned seed : seeds()) {
    std::mt19937_64 random(seed * 1000);
    const Formula formula = random_formula(GetParam(), random);
    constexpr std::array kDigits{60, 120, 300};
    const int digits = kDigits.at(random() % 3);
    std::optional<SpecialPoint> point;
    for (int i = 0; i < kTries && !point; ++i) point = find_special_point(random, formula, digits);
    ASSERT_TRUE(point) << seed;
    const std::string pixel_width = "1e-" + std::to_string(4 + random() % 50);
    // Half of them are in the middle.
    const auto offset = [&] { return static_cast<std::int64_t>(random() % kSide) - kMiddle; };
    const bool is_middle = random() % 2 == 0;
    const std::int64_t right = is_middle ? 0 : offset();
    const std::int64_t up = is_middle ? 0 : offset();
    constexpr std::array kBailouts{2.0, 4.0, 625.0};
    const Place place{.center_re = moved_exactly(point->re, pixel_width, -right, 0),
                      .center_im = moved_exactly(point->im, pixel_width, -up, 0),
                      .width = std::to_string(kSide) + pixel_width.substr(1),
                      .size_px = {kSide, kSide},
                      .iterations = kLimit,
                      .bailout = kBailouts.at(random() % 3),
                      .formula = formula};
    SCOPED_TRACE("--seed " + std::to_string(seed) + " --places 1: degree " +
                 std::to_string(formula.degree) + " center " + place.center_re + "," +
                 place.center_im + " width " + place.width + " constant " + formula.constant_re +
                 "," + formula.constant_im + ", a point of " + point->what + " is " +
                 std::to_string(right) + " pixels to the right and " + std::to_string(up) + " up");
    Pixels pixels = special_pixels();
    pixels.insert({kMiddle + right, kMiddle - up});
    pixels.insert(
        {static_cast<std::int64_t>(random() % kSide), static_cast<std::int64_t>(random() % kSide)});
    expect_true_counts(place, pixel_width, pixels);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SpecialPlaces,
                         testing::Values("mandelbrot", "burning_ship", "tricorn", "multibrot",
                                         "julia"),
                         [](const auto& test) { return test.param; });

TEST(MiddlePixels, are_not_those_of_a_reference_orbit_with_its_rounding_errors) {
  // Its orbit runs into a cycle of 5, as far as 100 digits can tell: 332 bits, of which the orbit
  // of so wide an image has 213.
  const Place place{.center_re =
                        "-0.601678047020069918021685328570303740552487696399622532588"
                        "4249819049173362734590565304762672209082754",
                    .center_im =
                        "-0.503283393963300435240104511242692284192766101885535476158"
                        "5653983690107534660127870697124747378981520",
                    .width = "9e-13",
                    .size_px = {kSide, kSide},
                    .iterations = kLimit,
                    .bailout = 4,
                    .formula = multibrot(4)};
  expect_true_counts(place, "1e-13", special_pixels());
}

/// Orbits that have no rounding errors at all, also where |z| is R for ever.
TEST(MiddlePixels, of_exact_orbits_are_right) {
  constexpr std::array kPoints{std::pair("-2", "0"), std::pair("0", "1"), std::pair("-1", "0"),
                               std::pair("0", "0")};
  for (const auto& [re, im] : kPoints) {
    for (const Formula& formula : {Formula{}, kShip, kTricorn, julia("0", "1"), julia("-2", "0")}) {
      SCOPED_TRACE(std::string(re) + "," + im + " formula " + std::to_string(formula.id));
      const Place place{.center_re = re,
                        .center_im = im,
                        .width = "9e-40",
                        .size_px = {kSide, kSide},
                        .iterations = kLimit,
                        .formula = formula};
      expect_true_counts(place, "1e-40", special_pixels());
    }
  }
}

}  // namespace
}  // namespace tessera::deep
