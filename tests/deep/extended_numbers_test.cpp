#include <gtest/gtest.h>

#include <cmath>

#include "deep/big_real.hpp"
#include "kernels/deep/double_double.hpp"
#include "kernels/deep/scaled.hpp"

namespace tessera::deep {
namespace {

using kernels::DoubleDouble;
using kernels::ScaledReal;

TEST(DoubleDouble, keeps_what_f64_drops) {
  const DoubleDouble third{1.0 / 3, 1.850371707708594e-17};  // 1/3 = hi + lo
  const DoubleDouble one = third + third + third;
  EXPECT_EQ(one.hi, 1.0);
  EXPECT_LT(std::abs(one.lo), 1e-31);
  const DoubleDouble ninth = third * third;
  EXPECT_EQ(ninth.hi, 1.0 / 9);
  EXPECT_NEAR(ninth.lo, 6.1679056923619804e-18, 1e-33);
}

TEST(ScaledReal, has_exponents_of_64_bits) {
  const ScaledReal tiny(1.5, -100000);
  const ScaledReal square = tiny * tiny;
  EXPECT_EQ(square.m, 0.5625);
  EXPECT_EQ(square.e, -199998);
  EXPECT_EQ(square.value(), 0);
  const ScaledReal back = square_root(square) / tiny;
  EXPECT_EQ(back.value(), 1);
  EXPECT_EQ((tiny + tiny).e, tiny.e + 1);
  EXPECT_TRUE((tiny - tiny).is_zero());
  EXPECT_TRUE(square < tiny);
  EXPECT_TRUE(ScaledReal() < square);
  EXPECT_TRUE(tiny < ScaledReal::infinity());
}

TEST(ScaledReal, becomes_a_subnormal_f64) {
  EXPECT_EQ(ScaledReal(1.0, -1074).value(), 0x1p-1074);
  EXPECT_EQ(ScaledReal(1.0, -1080).value(), 0);
  EXPECT_EQ(ScaledReal(1.0, 2000).value(), INFINITY);
}

TEST(ScaledReal, is_made_of_any_f64) {
  for (const double value :
       {0x1p-1074, 0x1.8p-1073, 0x1p-1022, -3.0, 0.75, 0x1.fffffffffffffp1023}) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    const ScaledReal scaled(value);
    EXPECT_EQ(scaled.m, mantissa);
    EXPECT_EQ(scaled.e, exponent);
  }
  for (int e = -1080; e < 1030; ++e) EXPECT_EQ(kernels::ts_power_of_two(e), std::ldexp(1.0, e));
}

TEST(BigReal, reads_decimals_of_any_length_and_exponents_beyond_f64) {
  const ScaledReal tiny = BigReal("1e-1000", 128).scaled();
  EXPECT_EQ(tiny.e, -3321);
  EXPECT_NEAR(std::log10(tiny.m) + static_cast<double>(tiny.e) * std::log10(2.0), -1000, 1e-9);
  EXPECT_ANY_THROW(BigReal("1e", 64));
  EXPECT_ANY_THROW(BigReal("nothing", 64));
}

}  // namespace
}  // namespace tessera::deep
