// How the points of an orbit change with c: real linear maps of the plane, f64 with exponents.
//
// Each step of Tessera's formulas is, near a point, z^d + c or conj(z)^d + c, so its derivative is
// conformal or anticonformal, and a sum of products of them is v -> alpha v + beta conj(v).
#pragma once

#include "deep/big_orbit.hpp"
#include "find/numbers.hpp"

namespace tessera::find {

using deep::Power;

/// v -> factor v, or factor conj(v).
struct Conformal {
  Complex factor = unit();
  bool conjugates = false;
};
/// The derivative of a step at z. On a fold, that of the side where the parts are not negative.
Conformal slope_at(const Complex& z, const Power& power);
/// `after` once `first` was done.
Conformal composed(const Conformal& after, const Conformal& first);

/// v -> alpha v + beta conj(v)
struct Linear {
  Complex alpha, beta;

  bool is_analytic() const { return is_zero(beta); }
  /// The most by which it makes a vector longer, and the least.
  ScaledReal norm() const;
  ScaledReal least() const;
};
/// slope after map, plus 1: the derivative of z^d + c.
Linear stepped(const Conformal& slope, const Linear& map);
/// The v with map(v) = w, for a map that has an inverse.
Complex solved(const Linear& map, const Complex& w);

/// What a pass over z_1 ... z_p = 0 says of the minibrot there (J. Heiland-Allen, "How to find the
/// size of a Mandelbrot set", 2010).
struct Shape {
  ScaledReal size;          ///< half of the width of the whole set there, about; 0 = unknown
  double turn_degrees = 0;  ///< of its antenna
  double a = 1, b = 0, c = 0, d = 1;  ///< the matrix of a picture that shows it upright
};

/// z_k and dz_k/dc along an orbit.
class Derivatives {
 public:
  explicit Derivatives(const Power& power) : power_(power) {}

  /// Follows a step from z to the next point.
  void step(const Complex& z);
  const Linear& of_c() const { return of_c_; }
  Shape shape() const;
  /// |size| alone.
  ScaledReal size() const;

 private:
  Linear undone() const;

  Power power_;
  Linear of_c_;
  Conformal of_first_;  ///< dz_k/dz_1
  bool begun_ = false;
};

/// Tells a cardioid, the body of a minibrot, from a disc on another one, for z^2 + c (A. Dolotin
/// and A. Morozov, "On the shapes of elementary domains", 2008).
class Body {
 public:
  /// Follows a step from z, n > 0.
  void step(const Complex& z);
  bool is_cardioid() const;

 private:
  Complex by_c_ = unit(), by_z_ = unit(), by_c_twice_, by_both_;
};

}  // namespace tessera::find
