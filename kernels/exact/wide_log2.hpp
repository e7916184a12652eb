// Base-2 logarithms to 103 bits in integer arithmetic, from which products of any number of terms
// are computed. docs/numerics-sums.md, "Products".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/exact/wide_integers.hpp"

namespace tessera::kernels {

/// Reciprocals 1 / t, rounded up, for t at the lower ends of equal steps from 1 on, and the
/// logarithms of their inverses in units of 2^-128.
template <std::size_t kCount, int kStepBits, int kFactorBits>
struct LogSteps {
  static constexpr int kUnitBits = kFactorBits;  ///< factors are in units of 2^-kFactorBits
  std::array<std::uint64_t, kCount> factors;
  std::array<UnsignedInt128, kCount> logarithms;

  LogSteps();
};

/// Multiplying by a factor of each step leaves 1 + r with r < 2^-6, 2^-13 and 2^-20.
struct LogTable {
  LogSteps<128, 7, 10> first;
  LogSteps<162, 14, 22> second;
  LogSteps<132, 21, 30> third;

  static const LogTable& get();
};

/// log2(significand / 2^52) in units of 2^-128 with an error below 2^-103, for 2^52 <= significand
/// < 2^53; exactly 0 for 2^52.
inline UnsignedInt128 wide_log2(std::uint64_t significand, const LogTable& table) {
  using Wide = UnsignedInt128;
  // 1 / ln 2 in units of 2^-63, and the rest of it in units of 2^-95; a third and a quarter of it.
  constexpr std::uint64_t kInverse = 0xb8aa3b295c17f0bb, kInverseRest = 0xbe87fed0;
  constexpr std::uint64_t kThird = 0x3d8e13b87407fae9, kQuarter = 0x2e2a8eca5705fc2e;
  const auto upper = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
  };

  const std::size_t i = significand >> 45 & 127;
  const std::uint64_t once = significand * table.first.factors[i];  // units of 2^-62
  const std::size_t j = (once - (std::uint64_t{1} << 62)) >> 48;
  const Wide twice = static_cast<Wide>(once) * table.second.factors[j];  // 2^-84
  const auto k = static_cast<std::size_t>((twice - (Wide{1} << 84)) >> 63);
  const Wide r = twice * table.third.factors[k] - (Wide{1} << 114);  // 2^-114
  Wide sum = table.first.logarithms[i] + table.second.logarithms[j] + table.third.logarithms[k];

  // log2(1 + r) = (r - r^2 / 2 + r^3 / 3 - r^4 / 4) / ln 2; r^5 is below 2^-104.
  const auto high = static_cast<std::uint64_t>(r >> 32);
  const std::uint64_t low = static_cast<std::uint32_t>(r);
  sum += static_cast<Wide>(high) * kInverse >> 17;
  sum += static_cast<Wide>(low) * kInverse >> 49;
  sum += static_cast<Wide>(high) * kInverseRest >> 49;
  const auto short_r = static_cast<std::uint64_t>(r >> 30);  // 2^-84
  const auto square = static_cast<std::uint64_t>(static_cast<Wide>(short_r) * short_r >> 63);
  const std::uint64_t cube = upper(square, short_r);
  sum -= static_cast<Wide>(square) * kInverse >> 41;
  sum += static_cast<Wide>(cube) * kThird >> 60;
  sum -= static_cast<Wide>(upper(cube, short_r)) * kQuarter >> 80;
  return sum;
}

/// The upper 64 bits of 2^x, with x in units of 2^-128: 2^x in units of 2^-63.
std::uint64_t wide_exp2(UnsignedInt128 x);

}  // namespace tessera::kernels
