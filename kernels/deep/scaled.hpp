// Numbers with exponents of 64 bits (kernels/deep/scaled.h) in C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/deep/double_double.hpp"
#include "kernels/deep/image.hpp"
#include "kernels/real/scalar.hpp"

namespace tessera::kernels {

#define TS_FN [[gnu::always_inline]] inline
#define TS_OF_NUMBERS template <class TsNumber>
#define TS_NUMBER TsNumber
#define TS_TO_NUMBER(v) \
  TsNumber {            \
    v                   \
  }
#define TS_COMPLEX TsScaledComplex<TsNumber>
#define TS_DEFAULT(value) = value
#include "kernels/deep/scaled.h"
#undef TS_FN
#undef TS_OF_NUMBERS
#undef TS_NUMBER
#undef TS_TO_NUMBER
#undef TS_COMPLEX
#undef TS_DEFAULT

inline double tn_part_value(double part, std::int64_t e) {
  return ts_part_value(part, e);
}
inline DoubleDouble tn_part_value(const DoubleDouble& part, std::int64_t e) {
  return quick_two_sum(ts_part_value(part.hi, e), ts_part_value(part.lo, e));
}

struct ScaledReal : TsScaled {
  ScaledReal() = default;
  ScaledReal(const TsScaled& a) : TsScaled(a) {}
  ScaledReal(double value) : ScaledReal(value, 0) {}
  ScaledReal(double mantissa, std::int64_t exponent) : TsScaled(ts_scaled(mantissa, exponent)) {}

  static ScaledReal infinity() { return {ts_infinity()}; }
  bool is_zero() const { return ts_is_scaled_zero(*this) != 0; }
  bool is_infinite() const { return ts_is_scaled_infinite(*this) != 0; }
  /// 0 or infinity beyond f64's range.
  double value() const { return ts_scaled_value(*this); }
};

inline ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
  return ts_scaled_times(a, b);
}

inline ScaledReal operator/(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero()) return {};
  if (b.is_zero()) return ScaledReal::infinity();
  if (b.is_infinite()) return {};
  return {a.m / b.m, a.e - b.e};
}

inline ScaledReal operator+(const ScaledReal& a, const ScaledReal& b) {
  return ts_scaled_plus(a, b);
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
  return ts_scaled_less(a, b) != 0;
}

inline const ScaledReal& least(const ScaledReal& a, const ScaledReal& b) {
  return b < a ? b : a;
}

/// A complex number of f64 or DoubleDouble.
template <class Number>
using ScaledComplex = TsScaledComplex<Number>;

template <class Number>
ScaledComplex<Number> operator*(const ScaledComplex<Number>& a, const ScaledComplex<Number>& b) {
  return ts_complex_times(a, b);
}

template <class Number>
ScaledComplex<Number> operator+(const ScaledComplex<Number>& a, const ScaledComplex<Number>& b) {
  return ts_complex_plus(a, b);
}

template <class Number>
ScaledComplex<Number> twice(ScaledComplex<Number> a) {
  ++a.e;
  return a;
}

template <class Number>
ScaledReal magnitude(const ScaledComplex<Number>& a) {
  return ts_complex_size(a);
}

inline ScaledComplex<double> rounded(const ScaledComplex<DoubleDouble>& a) {
  return {a.re.hi, a.im.hi, a.e};
}

}  // namespace tessera::kernels
