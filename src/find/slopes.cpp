#include "find/slopes.hpp"

#include <cmath>
#include <numbers>

namespace tessera::find {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

bool conjugates_at(const Complex& z, kernels::TsFold fold) {
  if (fold == kernels::TS_FOLD_CONJUGATE) return true;
  return fold == kernels::TS_FOLD_ABSOLUTE && (z.re < 0) != (z.im < 0);
}

/// |alpha|^2 - |beta|^2
ScaledReal determinant(const Linear& map) {
  const ScaledReal one = magnitude(map.alpha);
  const ScaledReal other = magnitude(map.beta);
  return (one - other) * (one + other);
}

ScaledReal absolute(ScaledReal a) {
  a.m = std::abs(a.m);
  return a;
}

Complex times(const Complex& a, const ScaledReal& b) {
  return kernels::ts_normalized(a.re * b.m, a.im * b.m, a.e + b.e);
}

Linear turned(const Linear& map, double radians) {
  const Complex turn = kernels::ts_normalized(std::cos(radians), std::sin(radians), 0);
  return {map.alpha * turn, map.beta * conjugate(turn)};
}

/// Without a negative zero.
double value(double part, std::int64_t e) {
  return kernels::ts_part_value(part, e) + 0.0;
}

}  // namespace

Conformal slope_at(const Complex& z, const Power& power) {
  Conformal slope{kernels::ts_normalized(static_cast<double>(power.degree), 0.0, 0)};
  for (int k = 1; k < power.degree; ++k) slope.factor = slope.factor * z;
  slope.conjugates = conjugates_at(z, power.fold);
  if (slope.conjugates) slope.factor = conjugate(slope.factor);
  return slope;
}

Conformal composed(const Conformal& after, const Conformal& first) {
  const Complex& inner = first.factor;
  return {after.factor * (after.conjugates ? conjugate(inner) : inner),
          after.conjugates != first.conjugates};
}

ScaledReal Linear::norm() const {
  return magnitude(alpha) + magnitude(beta);
}

ScaledReal Linear::least() const {
  return absolute(magnitude(alpha) - magnitude(beta));
}

Linear stepped(const Conformal& slope, const Linear& map) {
  if (!slope.conjugates && map.is_analytic()) return {slope.factor * map.alpha + unit(), {}};
  if (!slope.conjugates) return {slope.factor * map.alpha + unit(), slope.factor * map.beta};
  return {slope.factor * conjugate(map.beta) + unit(), slope.factor * conjugate(map.alpha)};
}

Complex solved(const Linear& map, const Complex& w) {
  if (map.is_analytic()) return quotient(w, map.alpha);
  const Complex top = conjugate(map.alpha) * w + negative(map.beta * conjugate(w));
  return times(top, ScaledReal(1.0) / determinant(map));
}

void Derivatives::step(const Complex& z) {
  const Conformal slope = slope_at(z, power_);
  of_c_ = stepped(slope, of_c_);
  if (begun_) of_first_ = composed(slope, of_first_);
  begun_ = true;
}

/// B with dz/dc = (dz/dz_1) B.
Linear Derivatives::undone() const {
  const Linear b{quotient(of_c_.alpha, of_first_.factor), quotient(of_c_.beta, of_first_.factor)};
  if (!of_first_.conjugates) return b;
  return {conjugate(b.beta), conjugate(b.alpha)};
}

ScaledReal Derivatives::size() const {
  if (is_zero(of_first_.factor)) return {};
  const ScaledReal scale = absolute(determinant(undone()));
  if (scale.is_zero()) return {};
  const double degree = power_.degree;
  const double log2_first = log2_of(magnitude(of_first_.factor));
  return power_of_two(-degree / (degree - 1) * log2_first - log2_of(scale) / 2);
}

/// The matrix is B^-1, which undoes the skew, turned so that the copy is upright.
Shape Derivatives::shape() const {
  Shape shape{size()};
  if (shape.size.is_zero()) return shape;
  const Linear b = undone();
  const ScaledReal scale = determinant(b);
  const ScaledReal factor =
      ScaledReal(1.0) / (square_root(absolute(scale)) * ScaledReal(scale.m < 0 ? -1.0 : 1.0));
  const Linear inverse{times(conjugate(b.alpha), factor), times(negative(b.beta), factor)};
  const double degree = power_.degree;
  const double angle = argument(of_first_.factor);
  double turn = -degree / (degree - 1) * angle;
  if (power_.fold == kernels::TS_FOLD_ABSOLUTE) turn = 0;
  if (power_.fold == kernels::TS_FOLD_CONJUGATE) {
    turn = of_first_.conjugates ? 2 * angle : -2 * angle / 3;
  }
  const Linear m = turned(inverse, turn);
  const Complex right = m.alpha + m.beta;
  const Complex up = m.alpha + negative(m.beta);
  shape.a = value(right.re, right.e);
  shape.c = value(right.im, right.e);
  shape.b = value(-up.im, up.e);
  shape.d = value(up.re, up.e);
  shape.turn_degrees = argument(m.alpha) * kDegrees;
  return shape;
}

void Body::step(const Complex& z) {
  by_c_twice_ = twice(z * by_c_twice_ + by_c_ * by_c_);
  by_both_ = twice(z * by_both_ + by_c_ * by_z_);
  by_c_ = twice(z * by_c_) + unit();
  by_z_ = twice(z * by_z_);
}

/// The number is about 0 for a cardioid, and 1 for a disc.
bool Body::is_cardioid() const {
  if (is_zero(by_c_) || is_zero(by_z_)) return false;
  Complex half = quotient(by_c_twice_, by_c_);
  --half.e;
  const Complex number = negative(quotient(half + quotient(by_both_, by_z_), by_c_ * by_z_));
  return magnitude(number) < magnitude(number + negative(unit()));
}

}  // namespace tessera::find
