// The product of any number of f64 with the same bits in any order: a sum of logarithms, as
// integers. docs/numerics-sums.md, "Products".
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/exact/wide_log2.hpp"

namespace tessera::kernels {

/// Trivially copyable. Has room for 2^63 terms.
class Product {
 public:
  /// Multiplies by any f64.
  void add(double x) { add(x, LogTable::get()); }
  void add(double x, const LogTable& table) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto field = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t significand = bits & (kImplicit - 1);
    negatives_ += static_cast<std::int64_t>(bits >> 63);
    if (field == 0x7ff) {
      ++*(significand != 0 ? &nans_ : &infinities_);
      return;
    }
    int exponent = field - 1023;
    if (field != 0) {
      significand |= kImplicit;
    } else if (significand == 0) {
      ++zeros_;
      return;
    } else {
      const int shift = std::countl_zero(significand) - 11;
      significand <<= shift;
      exponent = -1022 - shift;
    }
    if (odd_ != 0) multiply_odd(significand >> std::countr_zero(significand));
    const UnsignedInt128 logarithm = wide_log2(significand, table);
    fraction_ += logarithm;
    whole_ += exponent + static_cast<int>(fraction_ < logarithm);
  }

  void merge(const Product& other);

  /// The product of some terms, computed elsewhere with the same arithmetic.
  struct Parts {
    Int128 whole = 0;             ///< whole part of the logarithm
    UnsignedInt128 fraction = 0;  ///< fraction of the logarithm in units of 2^-128
    UnsignedInt128 odd = 1;       ///< the product without its factors of two; 0 if it has more than
                                  ///< 128 bits
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t zeros = 0;
    std::int64_t negatives = 0;
  };
  void merge(const Parts& parts);

  /// NaN, infinities and zeros as in IEEE 754; 1 for no terms. Rounded once if at most 128 bits lie
  /// between the first and the last set bit of the product. Otherwise the error is less than n *
  /// 2^-50 units in the last place, in addition to the rounding.
  double rounded() const;

  bool operator==(const Product&) const = default;

 private:
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;

  void multiply_odd(UnsignedInt128 factor) {
    if (__builtin_mul_overflow(odd_, factor, &odd_)) odd_ = 0;
  }

  /// log2 of the product of all terms that are finite and not zero.
  Int128 whole_ = 0;
  UnsignedInt128 fraction_ = 0;  ///< in units of 2^-128
  /// The product without its factors of two; 0 if it has more than 128 bits. This does not depend
  /// on the order: the product of some of the terms is never longer than that of all.
  UnsignedInt128 odd_ = 1;
  std::int64_t nans_ = 0;
  std::int64_t infinities_ = 0;
  std::int64_t zeros_ = 0;
  std::int64_t negatives_ = 0;  ///< terms with a sign, including -0.0 and NaN
};

}  // namespace tessera::kernels
