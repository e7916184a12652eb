#include "plane/matrix.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"

namespace tessera::plane {

double largest_stretch(const Matrix& m) {
  return (std::hypot(m.a + m.d, m.c - m.b) + std::hypot(m.a - m.d, m.b + m.c)) / 2;
}

std::string text_of(const Matrix& m) {
  return fmt::format("{},{},{},{}", m.a, m.b, m.c, m.d);
}

ExactMatrix operator*(const ExactMatrix& one, const ExactMatrix& other) {
  return {.a = one.a * other.a + one.b * other.c,
          .b = one.a * other.b + one.b * other.d,
          .c = one.c * other.a + one.d * other.c,
          .d = one.c * other.b + one.d * other.d};
}

ExactMatrix rotation(const Real& degrees) {
  const Real cosine = cos_of_degrees(degrees);
  const Real sine = sin_of_degrees(degrees);
  return {.a = cosine, .b = -sine, .c = sine, .d = cosine};
}

ExactMatrix stretch(const Real& degrees, const Real& factor) {
  const ExactMatrix scaled{.a = factor, .d = Real(1) / factor};
  return rotation(degrees) * scaled * rotation(-degrees);
}

ExactMatrix diagonal(double first, double second) {
  return {.a = first, .d = second};
}

Matrix rounded(const ExactMatrix& m, Real* scale, std::string_view what) {
  Real size = m.determinant();
  if (size.sign() < 0) size = -size;
  const Real root = sqrt(size);
  const auto entry = [&](const Real& value) { return (value / root).nearest(); };
  const Matrix result{entry(m.a), entry(m.b), entry(m.c), entry(m.d)};
  // A NaN of the determinant 0 fails, too.
  if (size.is_zero() || !(largest_stretch(result) <= kMaxStretch)) {
    throw base::usage_error("{}: maps the picture to a line, or stretches it beyond {}", what,
                            kMaxStretch);
  }
  if (scale) *scale = root;
  return result;
}

ExactMatrix exact(const Matrix& m) {
  return {.a = m.a, .b = m.b, .c = m.c, .d = m.d};
}

Polar polar_of(const ExactMatrix& m) {
  Polar polar;
  polar.turn_degrees = degrees_of(m.c - m.b, m.a + m.d);
  // Symmetric, of determinant 1: its eigenvalues are f and 1 / f.
  const ExactMatrix p = rotation(-polar.turn_degrees) * m;
  const Real half_trace = (p.a + p.d) / 2;
  Real inner = half_trace * half_trace - p.determinant();
  if (inner.sign() < 0) inner = 0;
  polar.factor = half_trace + sqrt(inner);
  polar.axis_degrees = degrees_of(p.b + p.c, p.a - p.d) / 2;
  return polar;
}

}  // namespace tessera::plane
