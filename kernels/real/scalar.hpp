// The operations of pixels and functions on one f64, for plain C++.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

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
inline double ts_div(double a, double b) {
  return a / b;
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
inline std::uint64_t ts_bits_xor(std::uint64_t a, std::uint64_t b) {
  return a ^ b;
}
inline std::uint64_t ts_bits_shift_52(std::uint64_t a) {
  return a >> 52;
}
inline int ts_leading_zeros(std::uint64_t a) {
  return std::countl_zero(a);
}
inline double ts_neg(double a) {
  return -a;
}
inline bool ts_equal(double a, double b) {
  return a == b;
}
inline bool ts_not(bool a) {
  return !a;
}
inline double ts_if(bool mask, double yes, double no) {
  return mask ? yes : no;
}

}  // namespace tessera::kernels
