// Loops over a block of elements in the cache, for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "statistics/partial.hpp"

namespace tessera::device::cpu {

/// 256 KiB of f64. Fits into the L2 cache for the passes after the first, and is long enough for
/// the exact sums to survey the exponents.
// crossed by: of_blocks_of_passes, integers_of_16_bits, products_of_integers
inline constexpr std::size_t kBlock = 32768;

template <class T>
constexpr std::uint64_t magnitude_of(T x) {
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  return x < T{0} ? -wide : wide;
}

template <class T>
void add_square(T x, statistics::IntegerSums& sums) {
  const std::uint64_t magnitude = magnitude_of(x);
  const auto square = static_cast<kernels::UnsignedInt128>(magnitude) * magnitude;
  sums.squares_low += static_cast<std::uint64_t>(square);
  sums.squares_high += static_cast<std::uint64_t>(square >> 64);
}

/// Exact for fewer than 2^32 elements.
template <class T>
struct IntegerPasses {
  kernels::Int128 (*sum)(std::span<const T>) = nullptr;
  kernels::UnsignedInt128 (*absolute)(std::span<const T>) = nullptr;
  void (*add_squares)(std::span<const T>, statistics::IntegerSums&) = nullptr;
  std::int64_t (*count_nonzero)(std::span<const T>) = nullptr;
};

struct Infinities {
  std::int64_t positive = 0;
  std::int64_t negative = 0;
};

/// For fewer than 2^32 elements.
template <class T>
struct RealPasses {
  std::int64_t (*count_nonzero)(std::span<const T>) = nullptr;
  /// Whether there is a -0.0 (negative) or a +0.0 (not negative).
  bool (*has_zero)(std::span<const T>, bool negative) = nullptr;
  /// Copies all elements except NaN to `kept`, in order. Returns the numbers of infinities.
  Infinities (*keep_numbers)(std::span<const T>, std::vector<T>& kept) = nullptr;
};

/// Converts `to.size()` f16, given as bytes, to f32; NaN stay NaN.
using WidenHalves = void (*)(const std::byte* halves, std::span<float> to);

struct PassSet {
  std::tuple<IntegerPasses<std::int8_t>, IntegerPasses<std::int16_t>, IntegerPasses<std::int32_t>,
             IntegerPasses<std::int64_t>, IntegerPasses<std::uint8_t>, IntegerPasses<std::uint16_t>,
             IntegerPasses<std::uint32_t>, IntegerPasses<std::uint64_t>>
      integers;
  std::tuple<RealPasses<float>, RealPasses<double>> reals;
  WidenHalves widen = nullptr;
};

/// Specialised for each of Highway's targets.
template <std::int64_t kTarget>
PassSet pass_set();

}  // namespace tessera::device::cpu
