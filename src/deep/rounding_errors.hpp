// How far an orbit in multiprecision may be from the true one.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// A bound of the rounding errors of an orbit of fold(z)^degree + c, |c| = c, from |z| = start,
/// with numbers of so many bits.
class RoundingErrors {
 public:
  RoundingErrors(int degree, std::int64_t bits, const kernels::ScaledReal& c,
                 const kernels::ScaledReal& start, bool exact)
      : degree_(degree), c_(c), unit_(1.0, kErrorOfStep - bits) {
    if (!exact) set(unit_ * (c_ + start));
  }

  /// Follows a step from |z| = radius. `exact` if neither it nor any before was rounded.
  void step(const kernels::ScaledReal& radius, bool exact) {
    if (exact) return;
    const double r = radius.value();
    if (!(r > kMin && r < kMax && error_ > kMin && error_ < kMax)) {
      set(after_step(radius, bound()));
      return;
    }
    // As after_step(), in f64.
    double slope = degree_;
    for (int k = 1; k < degree_; ++k) slope *= std::fma(error_, scale_, r);
    error_ = std::fma(slope, error_, unit_in_scale_ * std::fma(slope, r, c_value_));
  }

  kernels::ScaledReal bound() const { return {error_, exponent_}; }

 private:
  /// Each step has a few roundings, of at most 2^kErrorOfStep units of its terms together, for any
  /// degree: those of products are relative to slope * radius.
  static constexpr std::int64_t kErrorOfStep = 3;
  /// Within which powers up to 8 are far from the ends of f64's range.
  static constexpr double kMin = 0x1p-60, kMax = 0x1p60;

  /// |(z + e)^d - z^d| <= d (|z| + |e|)^(d - 1) |e|
  kernels::ScaledReal after_step(const kernels::ScaledReal& radius,
                                 const kernels::ScaledReal& error) const {
    kernels::ScaledReal slope{static_cast<double>(degree_)};
    for (int k = 1; k < degree_; ++k) slope = slope * (radius + error);
    return slope * error + unit_ * (slope * radius + c_);
  }
  void set(const kernels::ScaledReal& error) {
    error_ = error.m;
    exponent_ = error.is_zero() ? 0 : error.e;
    scale_ = kernels::ts_power_of_two(exponent_);
    unit_in_scale_ = kernels::ScaledReal(unit_.m, unit_.e - exponent_).value();
    c_value_ = c_.value();
  }

  int degree_;
  kernels::ScaledReal c_;
  kernels::ScaledReal unit_;
  double error_ = 0;  ///< times 2^exponent_
  std::int64_t exponent_ = 0;
  double scale_ = 1, unit_in_scale_ = 0,
         c_value_ = 0;  ///< factors that depend on the exponent, and c
};

}  // namespace tessera::deep
