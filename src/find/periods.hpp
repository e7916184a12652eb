// Numbers of steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tessera::find {

inline std::int64_t bits_of(std::int64_t period) {
  return std::bit_width(static_cast<std::uint64_t>(period));
}

/// period / p for each prime p of it, from small to large. All other divisors below the period
/// divide one of them.
inline std::vector<std::int64_t> largest_divisors(std::int64_t period) {
  std::vector<std::int64_t> divisors;
  std::int64_t rest = period;
  for (std::int64_t prime = 2; rest > 1; ++prime) {
    if (prime * prime > rest) prime = rest;
    if (rest % prime != 0) continue;
    divisors.push_back(period / prime);
    while (rest % prime == 0) rest /= prime;
  }
  std::ranges::sort(divisors);
  return divisors;
}

}  // namespace tessera::find
