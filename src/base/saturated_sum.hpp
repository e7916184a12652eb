// Sums and products that stay at the largest number instead of beginning again at 0.
#pragma once

#include <cstdint>
#include <limits>

namespace tessera::base {

/// a + b, or 2^64 - 1. Sums of several numbers do not depend on their order.
constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return b > kMax - a ? kMax : a + b;
}

/// a b, or 2^64 - 1.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMax / b ? kMax : a * b;
}

}  // namespace tessera::base
