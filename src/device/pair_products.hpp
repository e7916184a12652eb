// Products of the elements of two arrays at the same places, added up exactly.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "device/reduction.hpp"

namespace tessera::device {

/// Adds the products, one by one, of elements of the types that the spec says; as many of each.
void add_products(std::span<const std::byte> x, std::span<const std::byte> y,
                  const ReductionSpec& spec, PairSums& sums);

/// The product of an integer of up to 64 bits with an f64, exactly; one that is not finite takes
/// the sign and the zero of the integer as IEEE does.
template <class Integer>
void add_mixed_product(Integer a, double b, kernels::SquareAccumulator& sum) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto upper = static_cast<double>(a >> 32) * 0x1p32;
  const auto lower = static_cast<double>(a & Integer{0xffffffff});
  if (!(b < kInfinity && b > -kInfinity)) return sum.add_product(static_cast<double>(a), b);
  sum.add_product(upper, b);
  sum.add_product(lower, b);
}

}  // namespace tessera::device
