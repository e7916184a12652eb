// kernels/deep/double_double.h for C++, and the same operations on f64, for functions that take
// either number.
#pragma once

#include "kernels/real/scalar.hpp"

namespace tessera::kernels {

#define TS_FN [[gnu::always_inline]] inline
#define TS_DEFAULT(value) = value
#include "kernels/deep/double_double.h"
#undef TS_FN
#undef TS_DEFAULT

inline bool operator==(const DoubleDouble& a, const DoubleDouble& b) {
  return tn_equal(a, b) != 0;
}
inline DoubleDouble operator-(const DoubleDouble& a) {
  return tn_neg(a);
}
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  return tn_add(a, b);
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return tn_sub(a, b);
}
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  return tn_mul(a, b);
}

inline double tn_leading(double a) {
  return a;
}
inline bool tn_equal(double a, double b) {
  return a == b;
}
inline double tn_neg(double a) {
  return -a;
}
inline double tn_add(double a, double b) {
  return a + b;
}
inline double tn_sub(double a, double b) {
  return a - b;
}
inline double tn_mul(double a, double b) {
  return a * b;
}
inline double tn_mul_f64(double a, double b) {
  return a * b;
}
inline double tn_scaled(double a, double power) {
  return a * power;
}
inline double tn_plus(double a, double b) {
  return a + b;
}
inline double tn_twice_plus(double a, double b) {
  return ts_fma(2.0, a, b);
}
inline double tn_products(double a, double b, double c, double d) {
  return ts_fma(a, b, c * d);
}
inline double tn_products_plus(double a, double b, double c, double d, double e) {
  return ts_fma(a, b, ts_fma(c, d, e));
}

}  // namespace tessera::kernels
