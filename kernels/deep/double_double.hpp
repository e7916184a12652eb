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

/// a + b in half the operations, with an error below 2^-104 (|a| + |b|).
inline DoubleDouble quick_plus(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble sum = two_sum(a.hi, b.hi);
  return quick_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

/// 2 a + b, likewise.
inline DoubleDouble twice_plus(const DoubleDouble& a, const DoubleDouble& b) {
  return quick_plus({2 * a.hi, 2 * a.lo}, b);
}

/// a b + c d with an error below 2^-101 (|a b| + |c d|).
inline DoubleDouble sum_of_products(const DoubleDouble& a, const DoubleDouble& b,
                                    const DoubleDouble& c, const DoubleDouble& d) {
  const DoubleDouble ab = two_product(a.hi, b.hi);
  const DoubleDouble cd = two_product(c.hi, d.hi);
  const DoubleDouble sum = two_sum(ab.hi, cd.hi);
  const double cross =
      std::fma(a.hi, b.lo, std::fma(a.lo, b.hi, std::fma(c.hi, d.lo, c.lo * d.hi)));
  return quick_two_sum(sum.hi, sum.lo + ((ab.lo + cd.lo) + cross));
}

/// a times a power of two, exactly, unless it underflows.
inline DoubleDouble scaled(const DoubleDouble& a, double power_of_two) {
  return {a.hi * power_of_two, a.lo * power_of_two};
}

}  // namespace tessera::kernels
