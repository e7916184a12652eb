// IEEE binary16, which C++20 has no type for.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tessera::statistics {

/// Every f16 is an f32. NaN stay NaN.
inline float widen_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1f;
  const std::uint32_t fraction = half & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {  // subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// The nearest f16, ties to even. NaN stay NaN.
inline double round_to_half(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  constexpr std::uint64_t kMin = 0x3f10000000000000;  // 2^-14, the least normal f16
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t binade = bits & kExponent;
  // 1.5 * 2^42 binades: the last bit of a sum with it is the last bit of an f16.
  const double grid = std::bit_cast<double>(binade < kMin ? kMin : binade) * 0x1.8p42;
  const double magnitude = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  double rounded =
      magnitude >= 65520 ? std::numeric_limits<double>::infinity() : (magnitude + grid) - grid;
  if (x != x) rounded = x;
  return (bits >> 63) != 0 ? -rounded : rounded;
}

/// The bits of a number that is an f16. Every NaN becomes the same.
inline std::uint16_t half_bits(float half) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(half);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7e00;
  if (magnitude == 0x7f800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {  // subnormal: a multiple of 2^-24
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p24F));
  }
  return static_cast<std::uint16_t>(sign | ((magnitude >> 13) - (112 << 10)));
}

}  // namespace tessera::statistics
