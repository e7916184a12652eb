#include "find/ship_axis.hpp"

#include <cmath>

namespace tessera::find {
namespace {

ScaledReal negated(ScaledReal a) {
  a.m = -a.m;
  return a;
}

const ScaledReal& greatest(const ScaledReal& a, const ScaledReal& b) {
  return a < b ? b : a;
}

}  // namespace

void BelowAxis::step(const Enclosure& all) {
  const Complex& z = all.leading();
  const ScaledReal x(std::abs(z.re), z.e);
  const ScaledReal nearest = greatest(downwards(x) - upwards(all.disc()), ScaledReal());
  const ScaledReal one = 1.0;
  const ScaledReal two = 2.0;
  // Of u, before its sign is dropped.
  const ScaledReal low = downwards(two * nearest * least_) - upwards(one);
  const ScaledReal high = upwards(two * (x + all.disc()) * most_) - downwards(one);
  most_ = upwards(greatest(high, negated(low)));
  least_ = downwards(greatest(greatest(low, negated(high)), ScaledReal()));
}

bool lies_above_axis(const BigComplex& c, const ScaledReal& radius) {
  const ScaledReal height = c.im.scaled();
  return upwards(radius) < height;
}

}  // namespace tessera::find
