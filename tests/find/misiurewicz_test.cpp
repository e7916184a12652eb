#include "find/misiurewicz.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "places.hpp"

namespace tessera::find {
namespace {

Misiurewicz misiurewicz_at(const Neighbourhood& place) {
  const auto result = find_misiurewicz(place);
  if (std::holds_alternative<Nothing>(result)) throw std::runtime_error("nothing is found");
  return std::get<Misiurewicz>(result);
}

TEST(MisiurewiczPoint, TheTipOfTheSet) {
  const Misiurewicz found = misiurewicz_at(place_of("-2.01", "0.003", 0.05));
  EXPECT_EQ(found.preperiod, 2);
  EXPECT_EQ(found.period, 1);
  EXPECT_EQ(found.point.re.substr(0, 12), "-2.000000000");
  EXPECT_EQ(found.point.im, "0");
  // z -> z^2 - 2 has the derivative 4 at its fixed point 2.
  EXPECT_NEAR(found.factor.value(), 4, 1e-12);
}

/// i, i - 1, -i, i - 1: the cycle has the derivative 4 (i - 1) (-i) = 4 (1 + i).
TEST(MisiurewiczPoint, OfPeriodTwo) {
  const Misiurewicz found = misiurewicz_at(place_of("0.001", "0.999", 0.01));
  EXPECT_EQ(found.preperiod, 2);
  EXPECT_EQ(found.period, 2);
  EXPECT_NEAR(found.factor.value(), 4 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(std::abs(found.turn_degrees), 45, 1e-9);
}

TEST(MisiurewiczPoint, ANucleusIsNone) {
  Neighbourhood place = place_of("-1.7548776662466927", "0", 1e-9);
  place.most = 1000;
  const auto result = find_misiurewicz(place);
  if (const auto* const found = std::get_if<Misiurewicz>(&result)) {
    EXPECT_GT(found->preperiod, 1);
    EXPECT_NE(found->period, 3);
  }
}

/// z^3 + c with c^2 = w - 1 and w^3 = 1: c, wc, wc, ...
TEST(MisiurewiczPoint, OfAHigherDegree) {
  const Misiurewicz found = misiurewicz_at(place_of("0.34", "1.271", 0.01, "multibrot:3"));
  EXPECT_EQ(found.preperiod, 2);
  EXPECT_EQ(found.period, 1);
  EXPECT_NEAR(found.factor.value(), 3 * std::sqrt(3), 1e-12);
}

}  // namespace
}  // namespace tessera::find
