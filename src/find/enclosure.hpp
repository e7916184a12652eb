// Proofs about all orbits of a disc of parameters at once.
#pragma once

#include <optional>

#include "find/orbit_pass.hpp"
#include "find/slopes.hpp"

namespace tessera::find {

/// Bounds along the orbit of c for all parameters within a radius of it. All hold with the rounding
/// errors of this arithmetic.
class Enclosure {
 public:
  Enclosure(const BigComplex& c, const ScaledReal& radius, const Power& power);

  void step();
  const BigComplex& z() const { return pass_.z(); }
  const Complex& leading() const { return pass_.leading(); }
  /// z_n of every parameter lies within this distance of z().
  const ScaledReal& disc() const { return disc_; }
  /// The true z_n of c does.
  const ScaledReal& rounding() const { return rounding_; }
  /// dz_n/dc of c, and how far those of the parameters are from it, at most.
  const Linear& slope() const { return derivatives_.of_c(); }
  const ScaledReal& slope_error() const { return slope_error_; }
  const Derivatives& derivatives() const { return derivatives_; }
  /// Whether some of the orbits may lie on both sides of a fold.
  bool meets_fold() const { return meets_fold_; }
  /// Whether no parameter has z_n = 0.
  bool excludes_zero() const;

 private:
  bool is_at_fold() const;

  Power power_;
  ScaledReal radius_, bit_;
  OrbitPass pass_;
  Derivatives derivatives_;
  ScaledReal disc_, rounding_, slope_error_;
  bool meets_fold_ = false;
};

/// An upper bound of a nearest result of a few sums and products of numbers that are not negative.
ScaledReal upwards(const ScaledReal& a);
/// A lower bound of it.
ScaledReal downwards(const ScaledReal& a);

/// A parameter with a zero of a function f, proven.
struct Root {
  ScaledReal error;   ///< it is within this distance
  ScaledReal radius;  ///< there is no other within this distance
};

/// f(c) is within `rounding` of `value`, and its derivative is within `error` of `slope` at all
/// parameters within `radius`: f has one zero there if c - f(c) / slope contracts that disc.
std::optional<Root> contracted(const ScaledReal& radius, const ScaledReal& value,
                               const ScaledReal& rounding, const Linear& slope,
                               const ScaledReal& error);

}  // namespace tessera::find
