// Where a reference orbit may end before its limit.
#pragma once

#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

/// Follows the derivatives of an orbit in f64: dZ/dc of z^2 + c where the nearest pixel is not 0.
/// It decides how many pixels are uncertain and how long the orbit is, but no count: pixels may
/// begin again anywhere, and their bounds of errors know about it.
class OrbitEnd {
 public:
  explicit OrbitEnd(const kernels::ScaledReal& nearest_pixel, int degree = 2)
      : nearest_{nearest_pixel.m, 0, nearest_pixel.e}, degree_(degree) {}

  /// The orbit moves on from Z, of that size.
  void step(const kernels::ScaledComplex<double>& z, const kernels::ScaledReal& size) {
    reach_ = twice(z * reach_) + nearest_;
    multiplier_ = multiplier_ * kernels::ScaledReal(static_cast<double>(degree_));
    for (int k = 1; k < degree_; ++k) multiplier_ = multiplier_ * size;
  }
  /// After a step to Z: whether the nearest pixels are farther from Z than 0 is.
  bool is_at(const kernels::ScaledComplex<double>& z) const {
    return magnitude(z) < magnitude(reach_);
  }

  /// Begins a product of derivatives.
  void begin_cycle() { multiplier_ = 1.0; }
  /// Differences have shrunk since. So a return to the same Z is for ever, for neighbours too.
  bool is_attracted() const { return multiplier_ < kernels::ScaledReal(1.0); }

 private:
  kernels::ScaledComplex<double> nearest_;
  int degree_;
  kernels::ScaledComplex<double> reach_;  ///< how far the nearest pixels are from Z
  kernels::ScaledReal multiplier_ = 1.0;
};

}  // namespace tessera::deep
