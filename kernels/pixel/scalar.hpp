// The pixel mathematics with f64 as the number type, for plain C++ loops.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/pixel/formulas.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

inline double ts_real(double k) {
  return k;
}
inline double ts_add(double a, double b) {
  return a + b;
}
inline double ts_sub(double a, double b) {
  return a - b;
}
inline double ts_mul(double a, double b) {
  return a * b;
}
inline double ts_sqrt(double a) {
  return std::sqrt(a);
}
inline double ts_abs(double a) {
  return std::fabs(a);
}
inline bool ts_less(double a, double b) {
  return a < b;
}
inline bool ts_both(bool a, bool b) {
  return a && b;
}
inline bool ts_either(bool a, bool b) {
  return a || b;
}
inline bool ts_none(bool a) {
  return !a;
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
inline std::uint64_t ts_bits_sub(std::uint64_t a, std::uint64_t b) {
  return a - b;
}
inline std::uint64_t ts_bits_and(std::uint64_t a, std::uint64_t b) {
  return a & b;
}
inline std::uint64_t ts_bits_or(std::uint64_t a, std::uint64_t b) {
  return a | b;
}
inline std::uint64_t ts_bits_shift_52(std::uint64_t a) {
  return a >> 52;
}

#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#include "kernels/pixel/escape.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

}  // namespace tessera::kernels
