// Numbers with exponents of 64 bits, for values far below f64's range: 1e-8000 and less.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/deep/double_double.hpp"

namespace tessera::kernels {

/// Exponent of zero: below all others, and far from overflow in sums of a few exponents.
constexpr std::int64_t kZeroExponent = std::numeric_limits<std::int64_t>::min() / 8;

/// 2^e as an f64, for any e; 0 or infinity beyond its range.
inline double power_of_two(std::int64_t e) {
  return std::ldexp(1.0, static_cast<int>(std::clamp<std::int64_t>(e, -4000, 4000)));
}

/// A real number m 2^e with |m| in [1/2, 1), or zero, or infinity.
struct ScaledReal {
  double m = 0;
  std::int64_t e = kZeroExponent;

  ScaledReal() = default;
  ScaledReal(double value) : ScaledReal(value, 0) {}
  ScaledReal(double mantissa, std::int64_t exponent) : m(mantissa) {
    if (!(std::abs(m) > 0 && std::abs(m) < std::numeric_limits<double>::infinity())) return;
    int shift = 0;
    m = std::frexp(mantissa, &shift);
    e = exponent + shift;
  }

  static ScaledReal infinity() { return {std::numeric_limits<double>::infinity()}; }
  bool is_zero() const { return m == 0; }
  bool is_infinite() const { return std::isinf(m); }
  /// 0 or infinity beyond f64's range.
  double value() const { return is_zero() || is_infinite() ? m : m * power_of_two_wide(e); }

 private:
  static double power_of_two_wide(std::int64_t e) {
    return power_of_two(std::max<std::int64_t>(e, -1070)) *
           (e < -1070 ? power_of_two(e + 1070) : 1.0);
  }
};

inline ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero()) return {};
  return {a.m * b.m, a.e + b.e};
}

inline ScaledReal operator/(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero()) return {};
  if (b.is_zero()) return ScaledReal::infinity();
  if (b.is_infinite()) return {};
  return {a.m / b.m, a.e - b.e};
}

inline ScaledReal operator+(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_infinite()) return b;
  if (b.is_zero() || a.is_infinite()) return a;
  const std::int64_t e = std::max(a.e, b.e);
  return {a.m * power_of_two(a.e - e) + b.m * power_of_two(b.e - e), e};
}

inline ScaledReal operator-(const ScaledReal& a, const ScaledReal& b) {
  ScaledReal negative = b;
  negative.m = -negative.m;
  return a + negative;
}

/// For numbers that are not negative.
inline ScaledReal square_root(const ScaledReal& a) {
  if (a.is_zero() || a.is_infinite()) return a;
  const std::int64_t odd = a.e & 1;
  return {std::sqrt(odd != 0 ? a.m * 2 : a.m), (a.e - odd) / 2};
}

inline bool operator<(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero() || a.is_infinite() || b.is_infinite() || (a.m < 0) != (b.m < 0)) {
    return a.m < b.m;
  }
  if (a.e != b.e) return (a.e < b.e) == (a.m > 0);
  return a.m < b.m;
}

inline const ScaledReal& least(const ScaledReal& a, const ScaledReal& b) {
  return b < a ? b : a;
}

/// A complex number (re + i im) 2^e of f64 or DoubleDouble; the larger part is in [1/2, 1), or both
/// are zero.
template <class Number>
struct ScaledComplex {
  Number re{};
  Number im{};
  std::int64_t e = kZeroExponent;
};

inline double leading(double a) {
  return a;
}
inline double leading(const DoubleDouble& a) {
  return a.hi;
}
inline double scaled(double a, double power) {
  return a * power;
}

template <class Number>
ScaledComplex<Number> normalized(const Number& re, const Number& im, std::int64_t e) {
  const double largest = std::max(std::abs(leading(re)), std::abs(leading(im)));
  if (largest == 0) return {};
  int shift = 0;
  std::frexp(largest, &shift);
  const double power = std::ldexp(1.0, -shift);
  return {scaled(re, power), scaled(im, power), e + shift};
}

template <class Number>
ScaledComplex<Number> operator*(const ScaledComplex<Number>& a, const ScaledComplex<Number>& b) {
  return normalized(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, a.e + b.e);
}

template <class Number>
ScaledComplex<Number> operator+(const ScaledComplex<Number>& a, const ScaledComplex<Number>& b) {
  const std::int64_t e = std::max(a.e, b.e);
  const double of_a = power_of_two(a.e - e);
  const double of_b = power_of_two(b.e - e);
  return normalized(scaled(a.re, of_a) + scaled(b.re, of_b),
                    scaled(a.im, of_a) + scaled(b.im, of_b), e);
}

template <class Number>
ScaledComplex<Number> twice(ScaledComplex<Number> a) {
  ++a.e;
  return a;
}

template <class Number>
ScaledReal magnitude(const ScaledComplex<Number>& a) {
  const double re = leading(a.re);
  const double im = leading(a.im);
  return {std::sqrt(std::fma(re, re, im * im)), a.e};
}

inline ScaledComplex<double> rounded(const ScaledComplex<DoubleDouble>& a) {
  return {a.re.hi, a.im.hi, a.e};
}

/// m 2^e of one part of a scaled complex number; 0 where it underflows.
inline double part_value(double part, std::int64_t e) {
  return ScaledReal(part, e).value();
}
inline DoubleDouble part_value(const DoubleDouble& part, std::int64_t e) {
  return quick_two_sum(part_value(part.hi, e), part_value(part.lo, e));
}

}  // namespace tessera::kernels
