// Nuclei of the Burning Ship on the real axis, where its derivatives jump.
//
// With c = a + bi the ship has y' = 2 |x y| + b. For b > 0 all y are positive, so no orbit returns
// to 0. On the axis it is the Mandelbrot set's x' = x^2 + a. For b < 0, u = y / |b| begins with -1
// and follows u' = 2 |x| |u| - 1, whatever b is.
#pragma once

#include "find/enclosure.hpp"

namespace tessera::find {

/// Bounds of |y / b| along the orbits of all parameters with b < 0 in a disc around a point of the
/// axis.
class BelowAxis {
 public:
  /// Follows a step from z_n, n > 0, of the parameters of `all`.
  void step(const Enclosure& all);
  /// Whether none of them has y_n = 0.
  bool excludes_zero() const { return ScaledReal() < least_; }
  const ScaledReal& least() const { return least_; }
  const ScaledReal& most() const { return most_; }

 private:
  ScaledReal least_ = 1.0, most_ = 1.0;
};

/// Whether no orbit of the ship with c in this disc returns to 0.
bool lies_above_axis(const BigComplex& c, const ScaledReal& radius);

}  // namespace tessera::find
