// Products of the elements of two arrays at the same places, added up exactly.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "statistics/partial.hpp"

namespace tessera::statistics {

/// Adds the products, one by one, of elements of the types that the spec says; as many of each.
void add_products(std::span<const std::byte> x, std::span<const std::byte> y,
                  const ReductionSpec& spec, PairSums& sums);

/// The product of an integer of up to 64 bits with an f64, exactly. An infinity, a NaN and a zero
/// need no more of the integer than its sign and whether it is zero; its halves have other ones.
template <class Integer>
void add_mixed_product(Integer a, double b, kernels::SquareAccumulator& sum) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool splits = b < kInfinity && b > -kInfinity && b != 0;
  if (!splits) return sum.add_product(static_cast<double>(a), b);
  sum.add_product(static_cast<double>(a >> 32) * 0x1p32, b);
  sum.add_product(static_cast<double>(a & Integer{0xffffffff}), b);
}

}  // namespace tessera::statistics
