// Derivatives in multiprecision.
#pragma once

#include "deep/big_orbit.hpp"
#include "find/numbers.hpp"

namespace tessera::find {

/// dz_n/dc as v -> alpha v + beta conj(v), with so many bits.
class BigLinear {
 public:
  explicit BigLinear(std::int64_t bits);

  /// Follows a step from z, where the formula is conj(z)^d if `conjugates`.
  void step(const BigComplex& z, const deep::Power& power, bool conjugates);
  const BigComplex& alpha() const { return alpha_; }
  /// The v that it makes w.
  BigComplex solved(const BigComplex& w);

 private:
  void multiply(BigComplex& a, const BigComplex& b);

  BigComplex alpha_, beta_, factor_, z_;
  BigReal a_, b_;
};

}  // namespace tessera::find
