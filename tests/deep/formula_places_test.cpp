// Counts of every formula at random deep places against counts by MPFR.
//
// usage: formula_places_test [--seed N] [--places N] [GoogleTest options]
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "boundary_walk.hpp"
#include "deep/deep_block.hpp"
#include "seeds.hpp"

namespace tessera::deep {
namespace {

constexpr int kPixels = 40;
constexpr std::int64_t kSide = 300;

/// The constant of a Julia set is at the boundary of the Mandelbrot set, near which its Julia set
/// is like that.
Formula random_formula(const std::string& name, std::mt19937_64& random, int depth) {
  if (name == "burning_ship") return {kernels::TS_FORMULA_burning_ship, 2, {}, {}};
  if (name == "tricorn") return {kernels::TS_FORMULA_tricorn, 2, {}, {}};
  if (name == "multibrot") {
    return {kernels::TS_FORMULA_multibrot, 3 + static_cast<int>(random() % 6), {}, {}};
  }
  const Place of_constant = walk_to(random, {}, depth);
  return {kernels::TS_FORMULA_julia, 2, of_constant.center_re, of_constant.center_im};
}

/// Julia sets also at their constant, and at 0, which leads to it.
Place random_place(const Formula& formula, std::mt19937_64& random, int depth) {
  Place place = walk_to(random, formula, depth);
  const auto where = random() % 3;
  if (!formula.has_constant() || where == 0) return place;
  place.center_re = where == 1 ? formula.constant_re : "0";
  place.center_im = where == 1 ? formula.constant_im : "0";
  place.width = "1e-" + std::to_string(where == 1 ? depth * 4 / 5 : depth * 2 / 5);
  return place;
}

/// Whether there were several counts.
bool check_pixels(Place place, std::mt19937_64& random) {
  place.size_px = {kSide, kSide};
  place.iterations *= 2;
  place.bailout = random() % 2 == 0 ? 2.0 : 625.0;
  const DeepImage image = prepare_image(place);
  std::uint64_t least = place.iterations;
  std::uint64_t most = 0;
  for (int i = 0; i < kPixels; ++i) {
    const auto column = static_cast<std::int64_t>(random() % kSide);
    const auto row = static_cast<std::int64_t>(random() % kSide);
    const CountedPixel truth = pixel_by_definition(place, column, row);
    EXPECT_EQ(render_block(image, {column, row, 1, 1}).counts.front(), truth.count)
        << column << ", " << row;
    least = std::min(least, truth.count);
    most = std::max(most, truth.count);
  }
  return least < most;
}

class FormulaPlaces : public testing::TestWithParam<std::string> {};

TEST_P(FormulaPlaces, have_the_counts_of_mpfr) {
  std::size_t varied = 0;
  for (const unsigned seed : seeds()) {
    for (const auto& [low, high] : {std::pair(6, 20), {20, 50}, {50, 90}}) {
      std::mt19937_64 random(seed * 1000 + static_cast<unsigned>(high));
      const int depth = std::uniform_int_distribution(low, high)(random);
      const Formula formula = random_formula(GetParam(), random, depth);
      const Place place = random_place(formula, random, depth);
      SCOPED_TRACE("--seed " + std::to_string(seed) + ": degree " + std::to_string(formula.degree) +
                   " center " + place.center_re + "," + place.center_im + " width " + place.width +
                   " constant " + formula.constant_re + "," + formula.constant_im);
      varied += check_pixels(place, random) ? 1 : 0;
    }
  }
  // Images of one count would prove nothing.
  EXPECT_GT(2 * varied, 3 * seeds().size());
}

INSTANTIATE_TEST_SUITE_P(Every, FormulaPlaces,
                         testing::Values("burning_ship", "tricorn", "multibrot", "julia"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tessera::deep
