#include "find/nucleus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "places.hpp"

namespace tessera::find {
namespace {

/// Those of Newton's method of another program, with 50 to 90 digits.
struct Known {
  std::int64_t period;
  std::string near_re, near_im;
  double radius;
  std::string re, im;
  double size, degrees;
  bool cardioid;
};

const Known kKnown[] = {
    {3, "-1.75", "0.01", 0.05, "-1.754877666246692760049508896358528691895", "0", 0.019035516, 0,
     true},
    {3, "-0.12", "0.745", 0.01, "-0.1225611668766536199752455518207356540527",
     "0.7448617666197442365931704286043923672402", 0.18891384, -92.887869, false},
    {171, "-1.7685", "0.00097", 5e-5, "-1.768497076737724209213244973820166955705",
     "0.0009650673720667223308280102044621540969789", 1.1223741e-5, 1.2814293, false},
    {1704, "-1.768506033840492", "0.00096660166146", 5e-11,
     "-1.768506033840492400606025806479925753241", "0.000966601661461126326049993952574888406802",
     3.5795257e-12, 125.25655, true},
    {36126, "-1.76850603383938132632682238563", "0.00096660165888990732628126599", 5e-20,
     "-1.768506033839381326326822385633853134539", "0.0009666016588899073262812659970292552534669",
     1.3666093e-23, 147.66685, true},
};

Nucleus nucleus_at(const Neighbourhood& place) {
  const auto result = find_nucleus(place);
  if (std::holds_alternative<Nothing>(result)) throw std::runtime_error("nothing is found");
  return std::get<Nucleus>(result);
}

/// Whether the true point, of so many digits, is within the error of what was printed.
bool is_within(const Point& point, const std::string& re, const std::string& im) {
  const BigComplex off =
      difference(find::point(point.re, point.im, kBits), find::point(re, im, kBits));
  const ScaledReal digits(1e-38);
  return magnitude(leading(off)) < point.error + digits;
}

TEST(Nucleus, KnownOnesAreFoundToTheDigit) {
  for (const Known& known : kKnown) {
    Neighbourhood place = place_of(known.near_re, known.near_im, known.radius);
    place.places = 60;
    const Nucleus found = nucleus_at(place);
    EXPECT_EQ(found.period, known.period);
    EXPECT_TRUE(is_within(found.point, known.re, known.im)) << found.point.re;
    EXPECT_EQ(found.point.re.substr(0, known.re.size() - 1),
              known.re.substr(0, known.re.size() - 1));
    EXPECT_NEAR(found.shape.size.value() / known.size, 1, 1e-7);
    EXPECT_NEAR(found.shape.turn_degrees, known.degrees, 1e-5);
    EXPECT_EQ(found.cardioid, known.cardioid);
    EXPECT_LT(log2_of(found.point.error), -199);
    EXPECT_GT(log2_of(found.point.radius), log2_of(found.shape.size) - 17);
  }
}

TEST(Nucleus, OneOnTheAxisHasNoImaginaryPart) {
  EXPECT_EQ(nucleus_at(place_of("-1.75", "0.01", 0.05)).point.im, "0");
  EXPECT_NE(nucleus_at(place_of("-0.12", "0.745", 0.01)).point.im, "0");
}

/// c + 2 = 3 pi^2 / 2 4^-p, nearly, for the nucleus next to -2.
TEST(Nucleus, OfTheSeriesTowardsTheTip) {
  for (const int period : {20, 100, 830}) {
    const double log2_distance = std::log2(1.5 * std::pow(std::numbers::pi, 2)) - 2.0 * period;
    const ScaledReal distance = power_of_two(log2_distance);
    BigComplex c = point("-2", "0", 2000);
    subtract(c, Complex(kernels::ts_normalized(-distance.m, 0.0, distance.e)));
    const std::string near = fixed(c.re, 600);
    const Nucleus found = nucleus_at(place_of(near, "0", distance * ScaledReal(0.1)));
    EXPECT_EQ(found.period, period);
    EXPECT_EQ(found.point.im, "0");
    EXPECT_TRUE(found.cardioid.value());
  }
}

TEST(Nucleus, ThePointMayBeTheNucleusItself) {
  EXPECT_EQ(nucleus_at(place_of("0", "0", 0.5)).period, 1);
  EXPECT_EQ(nucleus_at(place_of("-1", "0", 1e-5)).period, 2);
  EXPECT_EQ(std::stod(nucleus_at(place_of("-1", "0", 1e-5)).point.re), -1);
}

TEST(Nucleus, NoneIsFoundWhereThereIsNone) {
  for (const auto& [re, im] : {std::pair{"2.5", "0"}, {"1", "1"}, {"0.1", "0.1"}, {"-2", "0"}}) {
    const auto result = find_nucleus(place_of(re, im, 1e-6));
    ASSERT_TRUE(std::holds_alternative<Nothing>(result)) << re << "," << im;
    EXPECT_EQ(std::get<Nothing>(result).most, 0);
  }
}

TEST(Nucleus, NoneIsFartherAwayThanTheRadius) {
  // That of period 3 is 0.0049 away.
  const auto result = find_nucleus(place_of("-1.75", "0", 0.004));
  if (const auto* const found = std::get_if<Nucleus>(&result)) {
    EXPECT_LT(std::abs(std::stod(found->point.re) + 1.75), 0.004);
  }
  EXPECT_EQ(nucleus_at(place_of("-1.75", "0", 0.006)).period, 3);
}

TEST(Nucleus, AnOrbitThatDoesNotEndIsFollowedForSoManySteps) {
  Neighbourhood place = place_of("0.25", "0", 1e-9);
  place.most = 1000;
  const auto result = find_nucleus(place);
  EXPECT_EQ(std::get<Nothing>(result).most, 1000);
}

TEST(Nucleus, OfOtherFormulas) {
  // z^3 + c returns after two steps for c^2 = -1.
  const Nucleus cubic = nucleus_at(place_of("0.01", "0.98", 0.1, "multibrot:3"));
  EXPECT_EQ(cubic.period, 2);
  EXPECT_TRUE(is_within(cubic.point, "0", "1"));
  // conj(c)^2 + c = 0 on the circle of radius 1, at the third roots of -1.
  const Nucleus tricorn = nucleus_at(place_of("0.5", "0.87", 0.05, "tricorn"));
  EXPECT_EQ(tricorn.period, 2);
  EXPECT_TRUE(is_within(tricorn.point, "0.5", "0.86602540378443864676372317075293618347140263"));
  // (|a| + i|b|)^2 + c = 0 for the same below the axis.
  const Nucleus ship = nucleus_at(place_of("0.5", "-0.87", 0.05, "burning-ship"));
  EXPECT_EQ(ship.period, 2);
  EXPECT_TRUE(is_within(ship.point, "0.5", "-0.86602540378443864676372317075293618347140263"));
}

TEST(Nucleus, OfTheShipOnTheAxis) {
  const Nucleus found = nucleus_at(place_of("-1.75", "-0.001", 0.05, "burning-ship"));
  EXPECT_EQ(found.period, 3);
  EXPECT_EQ(found.point.im, "0");
  EXPECT_TRUE(is_within(found.point, "-1.754877666246692760049508896358528691895", "0"));
}

TEST(Nucleus, OfTheShipAboveTheAxisThereIsNone) {
  const auto result = find_nucleus(place_of("0.5", "0.87", 0.05, "burning-ship"));
  EXPECT_TRUE(std::get<Nothing>(result).impossible);
}

}  // namespace
}  // namespace tessera::find
