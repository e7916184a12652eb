// The functions with f64 as the number type, for plain C++.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/functions/tables.hpp"

namespace tessera::kernels::functions::scalar {

inline double ts_real(double k) {
  return k;
}
inline double ts_sqrt(double a) {
  return std::sqrt(a);
}
inline double ts_abs(double a) {
  return std::fabs(a);
}
inline double ts_neg(double a) {
  return -a;
}
// std::fma is correctly rounded on every machine, by an instruction or slowly by the library.
inline double ts_fma(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline double ts_fnma(double a, double b, double c) {
  return std::fma(-a, b, c);
}
inline std::uint64_t ts_bits(std::uint64_t k) {
  return k;
}
inline std::uint64_t ts_to_bits(double v) {
  return std::bit_cast<std::uint64_t>(v);
}
inline double ts_from_bits(std::uint64_t b) {
  return std::bit_cast<double>(b);
}
inline bool ts_less(double a, double b) {
  return a < b;
}
inline bool ts_equal(double a, double b) {
  return a == b;
}
inline bool ts_both(bool a, bool b) {
  return a && b;
}
inline bool ts_either(bool a, bool b) {
  return a || b;
}
inline bool ts_not(bool a) {
  return !a;
}
inline bool ts_none(bool a) {
  return !a;
}
inline double ts_if(bool mask, double yes, double no) {
  return mask ? yes : no;
}

#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#define TS_CONSTANTS const double*
// clang-format off
#include "kernels/functions/one_number.h"
#include "kernels/functions/functions.h"
// clang-format on
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK
#undef TS_CONSTANTS
#undef TS_LENGTH
#undef ts_shift_left
#undef ts_shift_right
#undef TS_ROW
#undef TS_ROW_OF_16

}  // namespace tessera::kernels::functions::scalar
