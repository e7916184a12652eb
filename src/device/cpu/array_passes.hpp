// Passes over a block of elements in the cache, in loops that become vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "device/reduction.hpp"

namespace tessera::device::cpu {

/// 256 KiB of f64: in the second cache for the passes after the first, and long enough for the
/// exact sums to find out what sizes the numbers have. Sums of so many numbers of 32 bits fit
/// into 64.
inline constexpr std::size_t kBlock = 32768;

template <class T>
std::int64_t count_nonzero(const T* values, std::size_t n) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += values[i] != T{0} ? 1 : 0;
  return count;
}

template <class T>
bool has_zero_of_sign(std::span<const T> values, bool negative) {
  return std::ranges::any_of(values, [=](T x) { return x == 0 && std::signbit(x) == negative; });
}

/// A sum of numbers of 64 bits by halves, each of which has room for a block.
struct Halves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  void add(std::uint64_t x) {
    low += x & 0xffffffff;
    high += x >> 32;
  }
  kernels::UnsignedInt128 total() const {
    return (static_cast<kernels::UnsignedInt128>(high) << 32) + low;
  }
};

template <class T>
std::uint64_t magnitude_of(T x) {
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  return x < T{0} ? -wide : wide;
}

template <class T>
kernels::Int128 sum_of(const T* values, std::size_t n) {
  if constexpr (sizeof(T) < 8) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += values[i];
    return sum;
  } else {
    // With the sign bit turned, all are unsigned, and 2^63 too large.
    constexpr std::uint64_t kOffset = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    Halves sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(static_cast<std::uint64_t>(values[i]) ^ kOffset);
    return static_cast<kernels::Int128>(sum.total()) - static_cast<kernels::Int128>(kOffset) * n;
  }
}

template <class T>
kernels::UnsignedInt128 absolute_of(const T* values, std::size_t n) {
  Halves sum;
  for (std::size_t i = 0; i < n; ++i) sum.add(magnitude_of(values[i]));
  return sum.total();
}

template <class T>
void add_squares(const T* values, std::size_t n, IntegerSums& sums) {
  if constexpr (sizeof(T) < 8) {
    Halves sum;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t x = magnitude_of(values[i]);
      sum.add(x * x);
    }
    sums.squares_low += sum.total();
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t x = magnitude_of(values[i]);
      const auto square = static_cast<kernels::UnsignedInt128>(x) * x;
      sums.squares_low += static_cast<std::uint64_t>(square);
      sums.squares_high += static_cast<std::uint64_t>(square >> 64);
    }
  }
}

template <class T>
void multiply(std::span<const T> values, kernels::Product& to) {
  const kernels::LogTable& table = kernels::LogTable::get();
  kernels::Product product = to;  // in registers
  for (const T x : values) product.add(static_cast<double>(x), table);
  to = product;
}

/// Numbers of what is not finite.
struct Specials {
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
};

template <class T>
Specials count_specials(std::span<const T> values) {
  Specials found;
  for (const T x : values) {
    if (std::isnan(x)) ++found.nans;
    if (std::isinf(x)) ++(x > 0 ? found.positive_infinities : found.negative_infinities);
  }
  return found;
}

}  // namespace tessera::device::cpu
