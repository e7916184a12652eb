#include "find/enclosure.hpp"

#include <cmath>

namespace tessera::find {
namespace {

/// A step of BigOrbit has an error of at most kStepError units of 2^-bits of |z|^d + kLargestC, as
/// degree + 3 of |z|^d and 2 of |c| would do for degrees up to 8.
constexpr double kStepError = 16;
constexpr double kLargestC = 2.5;
/// Above the errors of some dozen f64 operations.
constexpr double kUpwards = 1 + 0x1p-44;
/// Relative error of a step of the derivative in f64.
constexpr double kSlopeError = 0x1p-47;

/// Bound of the slope of z^degree at |z| <= size.
ScaledReal steepness(const ScaledReal& size, int degree) {
  ScaledReal slope = static_cast<double>(degree);
  for (int k = 1; k < degree; ++k) slope = slope * size;
  return slope;
}

/// Bound of the slope of that.
ScaledReal curvature(const ScaledReal& size, int degree) {
  ScaledReal slope = static_cast<double>(degree * (degree - 1));
  for (int k = 2; k < degree; ++k) slope = slope * size;
  return slope;
}

ScaledReal part(double value, std::int64_t e) {
  return {std::abs(value), e};
}

}  // namespace

ScaledReal upwards(const ScaledReal& a) {
  return a * ScaledReal(kUpwards);
}

ScaledReal downwards(const ScaledReal& a) {
  return a * ScaledReal(2 - kUpwards);
}

Enclosure::Enclosure(const BigComplex& c, const ScaledReal& radius, const Power& power)
    : power_(power),
      radius_(radius),
      bit_(kStepError, -c.re.bits()),
      pass_(c, power),
      derivatives_(power) {}

bool Enclosure::is_at_fold() const {
  const Complex& z = pass_.leading();
  const ScaledReal reach = upwards(disc_);
  return power_.fold == kernels::TS_FOLD_ABSOLUTE &&
         (!(reach < part(z.re, z.e)) || !(reach < part(z.im, z.e)));
}

void Enclosure::step() {
  const bool first = pass_.n() == 0;
  const ScaledReal size = first ? ScaledReal() : magnitude(pass_.leading());
  const ScaledReal reach = size + disc_;
  const ScaledReal slope = steepness(reach, power_.degree);
  const ScaledReal norm = derivatives_.of_c().norm();
  // How far the slopes of two orbits of the disc may lie apart.
  ScaledReal apart = curvature(reach, power_.degree) * disc_;
  if (!first && is_at_fold()) {
    meets_fold_ = true;
    apart = apart + slope + slope;
  }
  ScaledReal power = size;
  for (int k = 1; k < power_.degree; ++k) power = power * size;
  const ScaledReal rounded = bit_ * (power + ScaledReal(kLargestC));
  slope_error_ = upwards(slope * slope_error_ + apart * norm +
                         ScaledReal(kSlopeError) * (slope * norm + ScaledReal(1.0)));
  disc_ = upwards(slope * disc_ + radius_ + rounded);
  rounding_ = upwards(steepness(size + rounding_, power_.degree) * rounding_ + rounded);
  derivatives_.step(pass_.leading());
  pass_.step();
}

bool Enclosure::excludes_zero() const {
  return upwards(disc_) < downwards(magnitude(pass_.leading()));
}

std::optional<Root> contracted(const ScaledReal& radius, const ScaledReal& value,
                               const ScaledReal& rounding, const Linear& slope,
                               const ScaledReal& error) {
  // Both sizes of a derivative that is nearly singular are rounded.
  const ScaledReal least = downwards(slope.least() - ScaledReal(kSlopeError) * slope.norm());
  const ScaledReal rest = least - upwards(error);
  if (!(ScaledReal() < rest)) return std::nullopt;
  const ScaledReal off = upwards(upwards(value) + rounding) / downwards(rest);
  if (!(upwards(off) < radius)) return std::nullopt;
  return Root{upwards(off), radius};
}

}  // namespace tessera::find
