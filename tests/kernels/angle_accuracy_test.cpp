// Angles against MPFR with 200 bits: the nearest f32 from 0 up to 1.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/pixel/scalar.hpp"

namespace tessera::kernels {
namespace {

/// The angle of x + iy in turns, from 0 to 1.
class Truth {
 public:
  Truth() { mpfr_inits2(200, value_, x_, two_pi_, nullptr); }
  ~Truth() { mpfr_clears(value_, x_, two_pi_, nullptr); }
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  /// Returns the nearest f32; at 1 the turn begins again.
  float operator()(double x, double y) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(value_, y, MPFR_RNDN);
    mpfr_atan2(value_, value_, x_, MPFR_RNDN);
    mpfr_const_pi(two_pi_, MPFR_RNDN);
    mpfr_mul_2ui(two_pi_, two_pi_, 1, MPFR_RNDN);
    mpfr_div(value_, value_, two_pi_, MPFR_RNDN);
    if (mpfr_sgn(value_) < 0) mpfr_add_ui(value_, value_, 1, MPFR_RNDN);
    const float nearest = mpfr_get_flt(value_, MPFR_RNDN);
    return nearest < 1 ? nearest : 0;
  }
  /// The distance of an f64 from the last one, relative to it.
  double error(double turns) {
    mpfr_set_d(x_, turns, MPFR_RNDN);
    mpfr_sub(x_, x_, value_, MPFR_RNDN);
    mpfr_div(x_, x_, value_, MPFR_RNDN);
    return std::fabs(mpfr_get_d(x_, MPFR_RNDN));
  }

 private:
  mpfr_t value_, x_, two_pi_;
};

float stored(double x, double y) {
  return static_cast<float>(ts_angle(x, y));
}

TEST(Angle, is_the_nearest_f32) {
  Truth truth;
  std::mt19937_64 random(29);
  std::uniform_real_distribution<double> part(-1, 1), exponent(-80, 80);
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = part(random), spread = i % 4 == 0 ? exponent(random) : 0;
    const double y = part(random) * std::exp2(spread);
    const float nearest = truth(x, y);
    if (nearest > 0) worst = std::max(worst, truth.error(ts_angle(x, y)));
    ASSERT_EQ(stored(x, y), nearest) << x << " " << y;
  }
  EXPECT_LT(worst, 2e-15);
  EXPECT_GT(worst, 1e-15);  // the bound in docs/numerics.md is not an idle one
}

TEST(Angle, is_exact_on_the_axes_and_the_diagonals) {
  for (const double size : {256.5, 1e10, 1e300, 0x1.fffffffffffffp1023}) {
    for (const double zero : {0.0, -0.0, 1e-320}) {
      EXPECT_EQ(stored(size, zero), 0);
      EXPECT_EQ(stored(zero, size), 0.25F);
      EXPECT_EQ(stored(-size, zero), 0.5F);
      EXPECT_EQ(stored(zero, -size), 0.75F);
    }
    EXPECT_EQ(stored(size, -0.0), 0);
    EXPECT_FALSE(std::signbit(stored(size, -0.0)));
    EXPECT_EQ(stored(size, size), 0.125F);
    EXPECT_EQ(stored(-size, size), 0.375F);
    EXPECT_EQ(stored(-size, -size), 0.625F);
    EXPECT_EQ(stored(size, -size), 0.875F);
  }
}

TEST(Angle, is_below_1) {
  Truth truth;
  for (int k = 0; k < 2000; ++k) {
    const double y = -std::exp2(-k * 0.53);
    const float turns = stored(1, y);
    EXPECT_LT(turns, 1) << y;
    EXPECT_EQ(turns, truth(1, y)) << y;
  }
  // What f32 would round to 1 begins again; its neighbour does not.
  EXPECT_EQ(stored(1, -0x1p-24), truth(1, -0x1p-24));
  EXPECT_EQ(stored(1, -0x1p-21), truth(1, -0x1p-21));
  EXPECT_GT(stored(1, -0x1p-21), 0.9F);
  EXPECT_EQ(stored(1, -0x1p-23), 0);
}

TEST(Angle, is_a_number_for_any_z) {
  const double endless = std::numeric_limits<double>::infinity();
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ts_angle(endless, 1), 0);
  EXPECT_EQ(ts_angle(-endless, 1), 0.5);
  EXPECT_EQ(ts_angle(1, -endless), 0.75);
  for (const double x : {endless, nothing}) EXPECT_EQ(ts_angle(x, nothing), 0);
}

}  // namespace
}  // namespace tessera::kernels
