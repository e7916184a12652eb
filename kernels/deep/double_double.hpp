// Numbers of about 106 bits: unevaluated sums of two f64, as in T. J. Dekker, "A floating-point
// technique for extending the available precision" (1971), with fma for exact products. Every
// operation has the same bits on every machine.
#pragma once

#include <cmath>

namespace tessera::kernels {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;  ///< at most half a unit in the last place of hi

  friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
};

/// a + b, exactly, for |a| >= |b|.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b, exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a b, exactly, unless it underflows.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble operator-(const DoubleDouble& a) {
  return {-a.hi, -a.lo};
}

/// Relative error below 2^-104.
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  DoubleDouble sum = two_sum(a.hi, b.hi);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  sum = quick_two_sum(sum.hi, sum.lo + low.hi);
  return quick_two_sum(sum.hi, sum.lo + low.lo);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return a + -b;
}

/// Relative error below 2^-103.
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  DoubleDouble product = two_product(a.hi, b.hi);
  product.lo += std::fma(a.hi, b.lo, a.lo * b.hi);
  return quick_two_sum(product.hi, product.lo);
}

inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  DoubleDouble product = two_product(a.hi, b);
  product.lo = std::fma(a.lo, b, product.lo);
  return quick_two_sum(product.hi, product.lo);
}

/// a times a power of two, exactly, unless it underflows.
inline DoubleDouble scaled(const DoubleDouble& a, double power_of_two) {
  return {a.hi * power_of_two, a.lo * power_of_two};
}

}  // namespace tessera::kernels
