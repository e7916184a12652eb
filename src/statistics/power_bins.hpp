// Exact sums of powers of many numbers at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/exact/superaccumulator.hpp"

namespace tessera::statistics {

/// A bin holds the sum of the powers of the significands of all floats with one exponent and sign:
/// a few words, which most data keep in the first-level cache. Integers use two bins.
template <int kPower>
class PowerBins {
 public:
  /// Adds the powers of the numbers that are finite.
  template <class T>
  void add(std::span<const T> numbers, kernels::ExactSum<kPower>& sum) {
    constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
    if constexpr (std::is_integral_v<T>) {
      for (const T x : numbers) {
        const kernels::ExactTerm term = kernels::exact_term(x);
        add_to(bins_[term.negative ? kSign : 0], term.magnitude);
      }
      return empty_into(sum, 0, 0, [](int) { return 0; });
    } else {
      int lowest = kNotFinite, highest = 0;
      for (const T x : numbers) {
        const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(x));
        const auto field = static_cast<int>(bits >> 52 & kNotFinite);
        lowest = std::min(lowest, field);
        highest = std::max(highest, field);
        const std::uint64_t implicit = field != 0 ? kImplicit : 0;
        add_to(bins_[bits >> 52], (bits & (kImplicit - 1)) | implicit);
      }
      if (highest == kNotFinite) {
        bins_[kNotFinite] = bins_[kSign + kNotFinite] = {};
        highest = kNotFinite - 1;
      }
      empty_into(sum, lowest, highest, [](int field) { return std::max(field, 1) - 1075; });
    }
  }

 private:
  static constexpr int kNotFinite = 0x7ff;
  static constexpr std::size_t kSign = 0x800;
  /// Room for 2^64 numbers of 64 bits.
  using Bin = std::array<std::uint64_t, kPower + 1>;

  static void add_to(Bin& bin, std::uint64_t magnitude) {
    const auto words = kernels::power_words<kPower>(magnitude);
    kernels::UnsignedInt128 carried = 0;
    for (std::size_t i = 0; i < kPower; ++i) {
      carried += static_cast<kernels::UnsignedInt128>(bin[i]) + words[i];
      bin[i] = static_cast<std::uint64_t>(carried);
      carried >>= 64;
    }
    bin[kPower] += static_cast<std::uint64_t>(carried);
  }

  template <class Exponent>
  void empty_into(kernels::ExactSum<kPower>& sum, int lowest, int highest,
                  const Exponent& exponent) {
    for (const std::size_t sign : {std::size_t{0}, kSign}) {
      for (int field = lowest; field <= highest; ++field) {
        Bin& bin = bins_[sign + static_cast<std::size_t>(field)];
        if (bin == Bin{}) continue;
        sum.add_words(bin, kPower * exponent(field), sign != 0 && kPower % 2 == 1);
        bin = {};
      }
    }
  }

  std::vector<Bin> bins_ = std::vector<Bin>(2 * kSign);
};

}  // namespace tessera::statistics
