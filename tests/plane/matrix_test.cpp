#include "plane/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace tessera::plane {
namespace {

constexpr double kHalfRootOf3 = 0.8660254037844386;

TEST(Matrix, quarter_turns_are_exact) {
  EXPECT_EQ(rounded(rotation(0.0)), (Matrix{1, 0, 0, 1}));
  EXPECT_EQ(rounded(rotation(90.0)), (Matrix{0, -1, 1, 0}));
  EXPECT_EQ(rounded(rotation(-450.0)), (Matrix{0, 1, -1, 0}));
  EXPECT_EQ(rounded(rotation(180.0)), (Matrix{-1, 0, 0, -1}));
  EXPECT_EQ(text_of(rounded(rotation(270.0))), "0,1,-1,0");
}

TEST(Matrix, angles_are_rounded_once) {
  EXPECT_EQ(rounded(rotation(30.0)), (Matrix{kHalfRootOf3, -0.5, 0.5, kHalfRootOf3}));
  EXPECT_EQ(rounded(rotation(Real("360000000030"))), rounded(rotation(30.0)));
  EXPECT_EQ(rounded(stretch(0.0, 2.0)), (Matrix{2, 0, 0, 0.5}));
  EXPECT_EQ(rounded(stretch(90.0, 2.0)), (Matrix{0.5, 0, 0, 2}));
}

TEST(Matrix, a_scale_goes_to_the_width) {
  Real scale;
  EXPECT_EQ(rounded({.a = 3, .b = 0, .c = 0, .d = -3}, &scale), (Matrix{1, 0, 0, -1}));
  EXPECT_EQ(scale.nearest(), 3);
  EXPECT_THROW(rounded({.a = 1, .b = 2, .c = 2, .d = 4}), base::Error);
  EXPECT_THROW(rounded(stretch(0.0, 1e7)), base::Error);
}

TEST(Matrix, the_largest_stretch_is_the_larger_singular_value) {
  EXPECT_EQ(largest_stretch({}), 1);
  EXPECT_NEAR(largest_stretch(rounded(rotation(33.0))), 1, 1e-15);
  EXPECT_NEAR(largest_stretch(rounded(rotation(33.0) * stretch(-12.0, 8.0) * diagonal(1, -1))), 8,
              1e-14);
}

TEST(Matrix, the_polar_form_makes_it_again) {
  for (const double turn : {-170.0, -47.25, 0.0, 12.5, 90.0, 179.0}) {
    for (const double factor : {1.0, 1.7, 64.0}) {
      const Matrix matrix = rounded(rotation(turn) * stretch(20.5, factor));
      const Polar polar = polar_of(exact(matrix));
      const Matrix again =
          rounded(rotation(polar.turn_degrees) * stretch(polar.axis_degrees, polar.factor));
      EXPECT_NEAR(again.a, matrix.a, 1e-15 * factor);
      EXPECT_NEAR(again.b, matrix.b, 1e-15 * factor);
      EXPECT_NEAR(again.c, matrix.c, 1e-15 * factor);
      EXPECT_NEAR(again.d, matrix.d, 1e-15 * factor);
    }
  }
}

}  // namespace
}  // namespace tessera::plane
