#include "find/enclosure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "find/ship_axis.hpp"
#include "places.hpp"

namespace tessera::find {
namespace {

BigComplex moved(const BigComplex& c, const ScaledReal& distance, double angle) {
  BigComplex result = c;
  subtract(result, kernels::ts_normalized(distance.m * std::cos(angle),
                                          distance.m * std::sin(angle), distance.e));
  return result;
}

/// Orbits of parameters on the edge of the disc, and differences of them, which are about the
/// derivative.
TEST(Enclosure, HoldsTheOrbitsOfTheDisc) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(-1.5, 0.5);
  for (const std::string formula : {"", "multibrot:3", "multibrot:8", "tricorn", "burning-ship"}) {
    const Power power = place_of("0", "0", 1.0, formula).power();
    for (int round = 0; round < 20; ++round) {
      const BigComplex c =
          point(std::to_string(part(random) * 0.6), std::to_string(part(random)), kBits);
      const ScaledReal radius(std::exp2(-20 - round));
      Enclosure all(c, radius, power);
      OrbitPass other(moved(c, radius * ScaledReal(0.999), part(random) * 4), power);
      for (int n = 1; n <= 30 && !other.has_ended(); ++n) {
        all.step();
        other.step();
        const ScaledReal off = magnitude(leading(difference(other.z(), all.z())));
        ASSERT_FALSE(all.disc() < off) << formula << " " << n;
      }
    }
  }
}

TEST(Enclosure, HoldsTheDerivativesOfTheDisc) {
  const Power power;
  const BigComplex c = point("-0.12", "0.745", kBits);
  const ScaledReal radius(1e-6);
  Enclosure all(c, radius, power);
  Enclosure other(moved(c, radius, 2), radius, power);
  for (int n = 1; n <= 40; ++n) {
    all.step();
    other.step();
    const Complex off = all.slope().alpha + negative(other.slope().alpha);
    ASSERT_FALSE(all.slope_error() < magnitude(off)) << n;
  }
}

TEST(Enclosure, FewBitsMakeItWider) {
  const BigComplex exact = point("-1.7548776662466927", "0.1", 400);
  Enclosure few(with_bits(exact, 30), ScaledReal(), {});
  OrbitPass many(with_bits(with_bits(exact, 30), 400), {});
  for (int n = 1; n <= 12; ++n) {
    few.step();
    many.step();
    const ScaledReal off = magnitude(leading(difference(many.z(), with_bits(few.z(), 400))));
    ASSERT_FALSE(few.rounding() < off) << n;
    ASSERT_FALSE(few.disc() < off) << n;
  }
}

TEST(Enclosure, AZeroIsNotExcludedWhereOneIs) {
  Enclosure all(point("-1.00001", "0", kBits), ScaledReal(1e-3), {});
  all.step();
  EXPECT_TRUE(all.excludes_zero());
  all.step();
  EXPECT_FALSE(all.excludes_zero());
}

TEST(Enclosure, AFoldIsMet) {
  Enclosure all(point("-1.2", "-0.00001", kBits), ScaledReal(1e-3), {kernels::TS_FOLD_ABSOLUTE});
  all.step();
  EXPECT_FALSE(all.meets_fold());
  all.step();
  EXPECT_TRUE(all.meets_fold());
}

Linear by(double factor) {
  return {kernels::ts_normalized(factor, 0.0, 0), {}};
}

TEST(Contraction, HasOneRootOrProvesNothing) {
  const ScaledReal radius(0.1);
  EXPECT_TRUE(contracted(radius, 0.01, 0.0, by(1), 0.1));
  EXPECT_FALSE(contracted(radius, 0.2, 0.0, by(1), 0.1)) << "the root is outside";
  EXPECT_FALSE(contracted(radius, 0.01, 0.2, by(1), 0.1)) << "the value is not known";
  EXPECT_FALSE(contracted(radius, 0.01, 0.0, by(1), 1.0)) << "the slope may be 0";
  EXPECT_FALSE(contracted(radius, 0.01, 0.0, by(0), 0.0)) << "the slope is 0";
  EXPECT_FALSE(contracted(radius, 0.1, 0.0, by(1), 0.0)) << "the root is on the edge";
  EXPECT_FALSE(contracted(radius, NAN, 0.0, by(1), 0.1));
  EXPECT_FALSE(contracted(radius, ScaledReal::infinity(), 0.0, by(1), 0.1));
  EXPECT_FALSE(contracted(radius, 0.01, 0.0, by(1), ScaledReal::infinity()));
}

TEST(Contraction, TheErrorIsThatOfTheWorstSlope) {
  const auto root = contracted(ScaledReal(0.1), 0.01, 0.005, by(1), 0.5);
  ASSERT_TRUE(root);
  EXPECT_NEAR(root->error.value(), 0.03, 1e-12);
  EXPECT_GT(root->error.value(), 0.03);
}

/// The parameters of the disc below the axis, by their orbits.
TEST(ShipAxis, HoldsTheOrbitsBelowIt) {
  const BigComplex c = point("-1.3107", "0", kBits);
  const ScaledReal radius(1e-5);
  const ScaledReal height(0.5e-5);
  BigComplex below = c;
  subtract(below, kernels::ts_normalized(0.0, height.m, height.e));
  Enclosure all(c, radius, {});
  OrbitPass ship(below, {kernels::TS_FOLD_ABSOLUTE});
  BelowAxis bound;
  for (int n = 1; n <= 12; ++n) {
    if (n > 1) bound.step(all);
    all.step();
    ship.step();
    if (bound.excludes_zero()) {
      EXPECT_NE(mpfr_sgn(ship.z().im.get()), 0);
      const ScaledReal y(std::abs(ship.z().im.scaled().m), ship.z().im.scaled().e);
      EXPECT_FALSE(y / height < bound.least() || bound.most() < y / height) << n;
    }
  }
}

}  // namespace
}  // namespace tessera::find
