// The final rounding of an exact result.
#pragma once

#include <bit>
#include <cstdint>

namespace tessera::kernels {

/// The f64 nearest to `top` * 2^exponent, plus less than one unit of `top` if `more` is set; ties
/// to even. The highest bit of `top` is set. Integer arithmetic, so processor flags such as
/// flush-to-zero have no effect.
inline double round_once(bool negative, std::uint64_t top, int exponent, bool more) {
  const std::uint64_t sign = static_cast<std::uint64_t>(negative) << 63;
  const std::uint64_t infinity = 0x7ff0000000000000;
  if (exponent > 1024) return std::bit_cast<double>(sign | infinity);
  const int lowest =
      exponent + 11 > -1074 ? exponent + 11 : -1074;  // exponent of the last bit kept
  const int dropped = lowest - exponent;              // at least 11
  if (dropped > 64) return std::bit_cast<double>(sign);
  const std::uint64_t kept = dropped == 64 ? 0 : top >> dropped;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = top & (half | (half - 1));
  const bool up = rest > half || (rest == half && (more || (kept & 1) != 0));
  // The implicit bit of `kept` adds one to the exponent field, and so does a carry out of `kept`.
  const std::uint64_t bits = kept + up + (static_cast<std::uint64_t>(lowest + 1074) << 52);
  return std::bit_cast<double>(sign | (bits < infinity ? bits : infinity));
}

}  // namespace tessera::kernels
