// The rounding errors of reference orbits.
#include <gtest/gtest.h>

#include <cmath>

#include "deep/deep_image.hpp"

namespace tessera::deep {
namespace {

/// An orbit that grows by 4 a step: errors do, too, until the orbit ends.
TEST(ElementErrors, are_bounds_of_the_difference_from_more_bits) {
  const Place place{.center_re = "-1.9999999999999999999999999999999999999999999999999999999",
                    .center_im = "0",
                    .width = "1e-12",
                    .size_px = {9, 9},
                    .iterations = 300,
                    .formula = {kernels::TS_FORMULA_tricorn, 2, {}, {}}};
  const DeepImage image = prepare_image(place);
  const ReferenceOrbit& orbit = *image.orbit;
  EXPECT_TRUE(orbit.exhausted);
  EXPECT_LT(orbit.length(), 60);
  const ReferenceOrbit finer = compute_orbit(orbit_start(place, 600), {.iterations = 300});
  for (std::int64_t m = 1; m <= orbit.length(); ++m) {
    const auto i = static_cast<std::size_t>(m);
    const double off = std::abs((orbit.re[i] - finer.re[i]) + (orbit.re_low[i] - finer.re_low[i]));
    const double bound = kernels::ts_element_error(image.table.nodes[i].levels_and_error);
    // Both are stored with 106 bits.
    EXPECT_LE(off, bound + 0x1p-104) << m;
    EXPECT_LT(bound, 0x1p-139) << m;
    EXPECT_GT(bound, 0x1p-230) << m;
  }
}

TEST(ElementErrors, are_nothing_in_an_orbit_without_roundings) {
  Place place{.center_re = "-2",
              .center_im = "0",
              .width = "1e-12",
              .size_px = {9, 9},
              .iterations = 300,
              .formula = {kernels::TS_FORMULA_tricorn, 2, {}, {}}};
  const DeepImage image = prepare_image(place);
  EXPECT_FALSE(image.orbit->exhausted);
  EXPECT_EQ(image.orbit->length(), 300);
  for (const auto& node : image.table.nodes) {
    EXPECT_EQ(kernels::ts_error_exponent(node.levels_and_error), TS_NO_ERROR);
  }
  place.center_re = "-0.1";  // is rounded
  EXPECT_LT(kernels::ts_error_exponent(prepare_image(place).table.nodes[1].levels_and_error), 400U);
}

}  // namespace
}  // namespace tessera::deep
