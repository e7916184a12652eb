#include "find/point.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::find {
namespace {

constexpr std::int64_t kPlacesBelowSize = 12;
/// Beyond those of c, so that a decimal is nearly exact.
constexpr std::int64_t kBitsOfDecimals = 64;

}  // namespace

bool is_real(const BigComplex& c, const Root& root) {
  const ScaledReal above = c.im.scaled();
  const ScaledReal size(std::abs(above.m), above.e);
  return upwards(root.error + size + size) < root.radius;
}

double log2_of_places(std::int64_t places) {
  return -static_cast<double>(places) * std::log2(10.0);
}

std::int64_t places_below(double log2_size) {
  const auto places = static_cast<std::int64_t>(std::ceil(-log2_size / std::log2(10.0)));
  return std::max<std::int64_t>(places, 0) + kPlacesBelowSize;
}

Point point_of(const BigComplex& c, const Root& root, std::int64_t places, bool real) {
  Point result{fixed(c.re, places), real ? "0" : fixed(c.im, places), places, {}, {}};
  const std::int64_t bits = c.re.bits() + kBitsOfDecimals;
  const BigComplex moved = difference(point(result.re, result.im, bits), with_bits(c, bits));
  const ScaledReal shift =
      upwards(magnitude(leading(moved))) + ScaledReal(1.0, -c.re.bits() - kBitsOfDecimals / 2);
  result.error = upwards(root.error + shift);
  result.radius = downwards(root.radius - upwards(shift));
  return result;
}

}  // namespace tessera::find
