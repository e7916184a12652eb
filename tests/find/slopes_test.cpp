#include "find/slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "find/big_linear.hpp"
#include "find/orbit_pass.hpp"
#include "find/periods.hpp"
#include "places.hpp"

namespace tessera::find {
namespace {

Complex number(double re, double im) {
  return kernels::ts_normalized(re, im, 0);
}

double re_of(const Complex& z) {
  return kernels::ts_part_value(z.re, z.e);
}
double im_of(const Complex& z) {
  return kernels::ts_part_value(z.im, z.e);
}

Complex applied(const Linear& map, const Complex& v) {
  return map.alpha * v + map.beta * conjugate(v);
}

/// By differences of orbits, for all formulas, in f64 and in multiprecision.
TEST(Derivatives, AreDifferences) {
  for (const std::string formula : {"", "multibrot:3", "multibrot:8", "tricorn", "burning-ship"}) {
    const Power power = place_of("0", "0", 1.0, formula).power();
    const BigComplex c = point("-0.2", "-0.3", kBits);
    const double h = 0x1p-100;
    BigComplex right = c;
    subtract(right, number(-h, 0));
    BigComplex up = c;
    subtract(up, number(0, -h));
    OrbitPass here(c, power);
    OrbitPass to_right(right, power);
    OrbitPass to_top(up, power);
    Derivatives derivatives(power);
    BigLinear many(kBits);
    for (int n = 1; n <= 15; ++n) {
      derivatives.step(here.leading());
      many.step(here.z(), power, slope_at(here.leading(), power).conjugates);
      here.step();
      to_right.step();
      to_top.step();
    }
    const Linear& of_c = derivatives.of_c();
    for (const auto& [pass, v] : {std::pair{&to_right, number(h, 0)}, {&to_top, number(0, h)}}) {
      const Complex moved = leading(difference(pass->z(), here.z()));
      const Complex off = applied(of_c, v) + negative(moved);
      EXPECT_LT(magnitude(off).value(), 1e-12 * magnitude(moved).value()) << formula;
      const Complex back = solved(of_c, moved) + negative(v);
      EXPECT_LT(magnitude(back).value(), 1e-9 * h) << formula;
      const Complex of_many = leading(many.solved(difference(pass->z(), here.z())));
      EXPECT_LT(magnitude(of_many + negative(v)).value(), 1e-20 * h) << formula;
    }
  }
}

TEST(Linear, StretchesBetweenItsNorms) {
  const Linear map{number(2, 1), number(0.5, -1)};
  const double most = map.norm().value();
  const double least = map.least().value();
  for (int k = 0; k < 32; ++k) {
    const double length = magnitude(applied(map, number(std::cos(k), std::sin(k)))).value();
    EXPECT_LE(length, most * (1 + 1e-14));
    EXPECT_GE(length, least * (1 - 1e-14));
  }
}

TEST(Shape, TheWholeSetIsUpright) {
  Derivatives derivatives{Power{}};
  derivatives.step({});
  const Shape shape = derivatives.shape();
  EXPECT_EQ(shape.size.value(), 1);
  EXPECT_EQ(shape.turn_degrees, 0);
  EXPECT_EQ(shape.a, 1);
  EXPECT_EQ(shape.d, 1);
}

/// The matrix undoes what the parameter does to the minibrot: B M is a multiple of the identity.
TEST(Shape, TheMatrixKeepsAreas) {
  Derivatives derivatives{Power{kernels::TS_FOLD_ABSOLUTE}};
  OrbitPass pass(point("-1.71007075", "-0.01031196", kBits), {kernels::TS_FOLD_ABSOLUTE});
  for (int n = 1; n <= 9; ++n) {
    derivatives.step(pass.leading());
    pass.step();
  }
  const Shape shape = derivatives.shape();
  EXPECT_NEAR(std::abs(shape.a * shape.d - shape.b * shape.c), 1, 1e-12);
  EXPECT_FALSE(std::isnan(shape.turn_degrees));
}

TEST(Numbers, BeyondF64KeepTheirSizes) {
  const BigComplex z = point("1.5e-1000", "-3e-1001", kBits);
  EXPECT_NEAR(log2_of(magnitude(leading(z))),
              -1000 * std::log2(10) + std::log2(std::hypot(1.5, 0.3)), 1e-9);
  EXPECT_EQ(short_text(point("1.25e-1000", "0", kBits).re.scaled()), "1.2500000e-1000");
  EXPECT_EQ(rounded_up(ScaledReal(1.0001)), "1.01e+00");
  EXPECT_EQ(rounded_down(ScaledReal(1.9999)), "1.99e+00");
  EXPECT_EQ(fixed(point("-0.0001", "0", kBits).re, 2), "0.00");
  EXPECT_EQ(re_of(quotient(number(1, 1), number(1, -1))), 0);
  EXPECT_EQ(im_of(quotient(number(1, 1), number(1, -1))), 1);
}

TEST(Periods, LargestDivisors) {
  EXPECT_EQ(largest_divisors(1), (std::vector<std::int64_t>{}));
  EXPECT_EQ(largest_divisors(7), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(largest_divisors(12), (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(largest_divisors(36126), (std::vector<std::int64_t>{162, 12042, 18063}));
}

}  // namespace
}  // namespace tessera::find
