#include "kernels/exact/product.hpp"

#include <algorithm>
#include <limits>

#include "kernels/exact/round_once.hpp"

namespace tessera::kernels {

namespace {

/// 2^(whole + fraction), for any magnitude.
struct Logarithm {
  Int128 whole;
  UnsignedInt128 fraction;
};

int bits_of(UnsignedInt128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 128 - std::countl_zero(high)
                   : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

/// The exponent e in x = odd * 2^e, if log2 x is known to much less than 1.
Int128 exponent_of(const Logarithm& x, UnsignedInt128 odd) {
  const int bits = bits_of(odd);
  // The upper 53 bits suffice to determine the integer e.
  const auto significand =
      static_cast<std::uint64_t>(bits > 53 ? odd >> (bits - 53) : odd << (53 - bits));
  const UnsignedInt128 fraction = wide_log2(significand, LogTable::get());
  const UnsignedInt128 apart = x.fraction - fraction;
  const bool borrow = x.fraction < fraction;
  const bool nearer_above = apart >> 127 != 0;
  return x.whole - (bits - 1) - static_cast<int>(borrow) + static_cast<int>(nearer_above);
}

int clamped(Int128 exponent) {
  constexpr int kFar = 1 << 20;  // beyond the exponents of f64
  return static_cast<int>(std::clamp(exponent, Int128{-kFar}, Int128{kFar}));
}

}  // namespace

void Product::merge(const Product& other) {
  fraction_ += other.fraction_;
  whole_ += other.whole_ + static_cast<int>(fraction_ < other.fraction_);
  multiply_odd(other.odd_);
  nans_ += other.nans_;
  infinities_ += other.infinities_;
  zeros_ += other.zeros_;
  negatives_ += other.negatives_;
}

void Product::merge(const Parts& parts) {
  Product other;
  other.whole_ = parts.whole;
  other.fraction_ = parts.fraction;
  other.odd_ = parts.odd;
  other.nans_ = parts.nans;
  other.infinities_ = parts.infinities;
  other.zeros_ = parts.zeros;
  other.negatives_ = parts.negatives;
  merge(other);
}

double Product::rounded() const {
  if (nans_ > 0 || (zeros_ > 0 && infinities_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const bool negative = negatives_ % 2 != 0;
  if (zeros_ > 0) return negative ? -0.0 : 0.0;
  if (infinities_ > 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  if (odd_ == 0) return round_once(negative, wide_exp2(fraction_), clamped(whole_ - 63), true);
  const int up = 128 - bits_of(odd_);
  const UnsignedInt128 top = odd_ << up;
  const Int128 exponent = exponent_of({whole_, fraction_}, odd_);
  return round_once(negative, static_cast<std::uint64_t>(top >> 64), clamped(exponent + 64 - up),
                    static_cast<std::uint64_t>(top) != 0);
}

}  // namespace tessera::kernels
