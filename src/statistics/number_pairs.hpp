// Pairs of numbers x and y, and which exact sums over them take the places of a Partial:
//             weights y        two arrays
//   sum       y                x
//   absolute                   y
//   squares   x y              x y
//   cubes     x x y            x x
//   fourths                    y y
// Only pairs of finite numbers are in the sums; nans counts pairs with a NaN, and the infinities
// are those of products, both of 0 times an infinity.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/exact/superaccumulator.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// The bits of x and y of a pair that is not there; other NaN have other ones.
inline constexpr std::uint64_t kNoPair = 0x7ff8'5445'5353'0001;
inline bool is_no_pair(double x) {
  return std::bit_cast<std::uint64_t>(x) == kNoPair;
}

/// A finite number of up to kWords words.
template <std::size_t kWords>
struct WordTerm {
  std::array<std::uint64_t, kWords> words{};
  int exponent = 0;
  bool negative = false;
};

/// The exact product of up to kWords numbers.
template <std::size_t kWords, std::size_t kFactors>
WordTerm<kWords> exact_product(const std::array<kernels::ExactTerm, kFactors>& factors) {
  static_assert(kFactors <= kWords);
  WordTerm<kWords> term{.words = {1}};
  for (std::size_t f = 0; f < kFactors; ++f) {
    kernels::UnsignedInt128 carried = 0;
    for (std::size_t i = 0; i <= f; ++i) {
      carried += static_cast<kernels::UnsignedInt128>(term.words[i]) * factors[f].magnitude;
      term.words[i] = static_cast<std::uint64_t>(carried);
      carried >>= 64;
    }
    if (f + 1 < kWords) term.words[f + 1] = static_cast<std::uint64_t>(carried);
    term.exponent += factors[f].exponent;
    term.negative ^= factors[f].negative;
  }
  return term;
}

/// Adds a pair of finite numbers by add(member of Partial, term), where the spec asks for it.
template <class Add>
void add_finite_pair(double x, double y, const ReductionSpec& spec, const Add& add) {
  const kernels::ExactTerm a = kernels::exact_term(x), b = kernels::exact_term(y);
  const bool weighted = spec.pairing == job::Pairing::weighted;
  if (spec.sum) add(&Partial::sum, exact_product<1>(std::array{weighted ? b : a}));
  if (spec.absolute) add(&Partial::absolute, exact_product<1>(std::array{b}));
  if (spec.squares) add(&Partial::squares, exact_product<2>(std::array{a, b}));
  if (spec.cubes && weighted) add(&Partial::cubes, exact_product<3>(std::array{a, a, b}));
  if (spec.cubes && !weighted) add(&Partial::cubes, exact_product<3>(std::array{a, a}));
  if (spec.fourths) add(&Partial::fourths, exact_product<4>(std::array{b, b}));
}

/// Of a pair with an infinity and without a NaN.
struct InfiniteProduct {
  bool positive = false;
  bool negative = false;
};
inline InfiniteProduct infinite_product(double x, double y) {
  const double product = x * y;
  const bool is_nan = std::isnan(product);
  return {is_nan || product > 0, is_nan || product < 0};
}

}  // namespace tessera::statistics
