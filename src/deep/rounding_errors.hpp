// How far an orbit in multiprecision may be from the true one.
#pragma once

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
    if (!exact) error_ = unit_ * (c_ + start);
  }

  /// Follows a step from |z| = radius. `exact` if neither it nor any before was rounded.
  void step(const kernels::ScaledReal& radius, bool exact) {
    if (exact) return;
    // |(z + e)^d - z^d| <= d (|z| + |e|)^(d - 1) |e|
    kernels::ScaledReal slope{static_cast<double>(degree_)};
    for (int k = 1; k < degree_; ++k) slope = slope * (radius + error_);
    error_ = slope * error_ + unit_ * (slope * radius + c_);
  }

  const kernels::ScaledReal& bound() const { return error_; }

 private:
  /// Each step has a few roundings, of at most 2^kErrorOfStep units of its terms together, for any
  /// degree: those of products are relative to slope * radius.
  static constexpr std::int64_t kErrorOfStep = 3;

  int degree_;
  kernels::ScaledReal c_;
  kernels::ScaledReal unit_;
  kernels::ScaledReal error_;
};

}  // namespace tessera::deep
