// The matrix between the pixels of an image and the complex plane (docs/numerics.md, "A plane that
// turns").
#pragma once

#include <string>
#include <string_view>

#include "plane/real.hpp"

namespace tessera::plane {

/// A pixel u columns right of the centre and v rows above it is the number
/// centre + step (a u + b v) + i step (c u + d v). |ad - bc| is 1.
struct Matrix {
  double a = 1, b = 0;
  double c = 0, d = 1;

  bool is_identity() const { return *this == Matrix{}; }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// The largest factor by which a length grows from pixels to the plane, in units of a step.
double largest_stretch(const Matrix& matrix);

/// "A,B,C,D", the shortest decimals that mean these f64.
std::string text_of(const Matrix& matrix);

/// A matrix that is still to be rounded, of any determinant but 0.
struct ExactMatrix {
  Real a = 1, b = 0;
  Real c = 0, d = 1;

  Real determinant() const { return a * d - b * c; }
};

ExactMatrix operator*(const ExactMatrix& one, const ExactMatrix& other);

/// Turns the picture's right anticlockwise in the plane.
ExactMatrix rotation(const Real& degrees);
/// Stretches by `factor` along `degrees`, and by 1 / factor across.
ExactMatrix stretch(const Real& degrees, const Real& factor);
ExactMatrix diagonal(double first, double second);

/// Divided by the root of its determinant's size, and rounded. The root goes to `scale`, by which
/// the width is to be multiplied. Throws a usage error that begins with `what` for a determinant of
/// 0 and a stretch beyond kMaxStretch.
Matrix rounded(const ExactMatrix& matrix, Real* scale = nullptr, std::string_view what = "matrix");
inline constexpr double kMaxStretch = 1e6;

ExactMatrix exact(const Matrix& matrix);

/// A matrix as Rot(turn) * P(axis, factor), for one of positive determinant.
struct Polar {
  Real turn_degrees;
  Real axis_degrees;
  Real factor;  ///< at least 1
};
Polar polar_of(const ExactMatrix& matrix);

}  // namespace tessera::plane
