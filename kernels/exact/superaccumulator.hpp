// Exact sums of f64. A sum is a wide fixed-point number, stored as overlapping int64 limbs: limb i
// counts units of 2^(kLowestExponent + 32 i), which leaves 31 bits for carries in each. Two sums
// are merged by adding limb to limb: by this code or by atomics of a GPU. There is no
// floating-point arithmetic, so processor flags have no effect. docs/numerics-sums.md, "Sums".
// Source: R. M. Neal, Fast exact summation using small and large superaccumulators, arXiv
// 1505.05571.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/exact/wide_integers.hpp"

namespace tessera::kernels {

/// A finite number: magnitude * 2^exponent.
struct ExactTerm {
  bool negative = false;
  std::uint64_t magnitude = 0;
  int exponent = 0;
};

/// A finite f64.
inline ExactTerm exact_term(double x) {
  constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t fraction = bits & (kImplicit - 1);
  const bool negative = (bits >> 63) != 0;
  if (field == 0) return {negative, fraction, -1074};
  return {negative, fraction | kImplicit, field - 1075};
}

template <std::integral T>
ExactTerm exact_term(T x) {
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  const bool negative = x < T{0};
  return {negative, negative ? ~bits + 1 : bits, 0};
}

/// x^kPower, lowest word first.
template <int kPower>
std::array<std::uint64_t, kPower> power_words(std::uint64_t x) {
  std::array<std::uint64_t, kPower> words{x};
  for (std::size_t factors = 1; factors < kPower; ++factors) {
    UnsignedInt128 carried = 0;
    for (std::size_t i = 0; i < factors; ++i) {
      carried += static_cast<UnsignedInt128>(words[i]) * x;
      words[i] = static_cast<std::uint64_t>(carried);
      carried >>= 64;
    }
    words[factors] = static_cast<std::uint64_t>(carried);
  }
  return words;
}

/// Sums of products of kTermPower f64: their bits are 2^(-1074 kTermPower) to 2^(1024 kTermPower).
/// Has room for 2^63 terms. All members are exact; those that return f64 round once, to nearest
/// even.
template <int kTermPower>
class ExactSum {
 public:
  static constexpr int kPower = kTermPower;
  static constexpr int kLowestExponent = -1088 * kPower;
  static constexpr std::size_t kLimbs = 66 * kPower + 4;
  static constexpr bool kHoldsProducts = kPower >= 2;
  /// The limbs; the counts of NaN, +inf and -inf; whether a term was -0.0; whether a term was not
  /// -0.0.
  static constexpr std::size_t kWords = kLimbs + 5;

  /// Adds any f64: NaN and infinities are counted, subnormal numbers are exact.
  void add(double x) {
    const ExactTerm parts = exact_term(x);
    if (parts.exponent == kNotFinite) {
      other_ = true;
      ++*(parts.magnitude << 12 != 0 ? &nans_
          : parts.negative           ? &negative_infinities_
                                     : &positive_infinities_);
    } else if (parts.magnitude == 0 && parts.negative) {
      negative_zero_ = true;
    } else {
      add_magnitude(parts.magnitude, parts.exponent, parts.negative);
    }
  }

  /// Adds exactly a*b, even if the product underflows or overflows in f64.
  void add_product(double a, double b) requires kHoldsProducts {
    const ExactTerm x = exact_term(a);
    const ExactTerm y = exact_term(b);
    // Tests the bits: a comparison may treat subnormal numbers as zeros.
    if (x.exponent == kNotFinite || y.exponent == kNotFinite || x.magnitude == 0 ||
        y.magnitude == 0) {
      add(a * b);  // NaN, an infinity or a zero, with the sign as in IEEE 754
      return;
    }
    const UnsignedInt128 product = static_cast<UnsignedInt128>(x.magnitude) * y.magnitude;
    const int exponent = x.exponent + y.exponent;
    const bool negative = x.negative != y.negative;
    add_magnitude(static_cast<std::uint64_t>(product), exponent, negative);
    add_magnitude(static_cast<std::uint64_t>(product >> 64), exponent + 64, negative);
  }

  /// Adds x^kPower.
  void add_power(const ExactTerm& x) {
    add_words(power_words<kPower>(x.magnitude), kPower * x.exponent, x.negative && kPower % 2 == 1);
  }

  /// Adds a number of several words, lowest first, times 2^exponent. It must not be larger than a
  /// term can be.
  template <std::size_t kWordCount>
  void add_words(const std::array<std::uint64_t, kWordCount>& words, int exponent, bool negative) {
    other_ = true;
    for (std::size_t i = 0; i < kWordCount; ++i) {
      if (words[i] != 0) add_magnitude(words[i], exponent + 64 * static_cast<int>(i), negative);
    }
  }

  void add_integer(Int128 x) {
    const bool negative = x < 0;
    const UnsignedInt128 magnitude =
        negative ? -static_cast<UnsignedInt128>(x) : static_cast<UnsignedInt128>(x);
    add_magnitude(static_cast<std::uint64_t>(magnitude), 0, negative);
    add_magnitude(static_cast<std::uint64_t>(magnitude >> 64), 64, negative);
  }

  /// Adds x * 2^exponent. It must not have bits below 2^kLowestExponent, nor be larger than a term
  /// can be.
  void add_scaled(std::int64_t x, int exponent) {
    const bool negative = x < 0;
    const auto bits = static_cast<std::uint64_t>(x);
    add_magnitude(negative ? -bits : bits, exponent, negative);
  }

  /// Records that terms were -0.0, without adding them.
  void add_negative_zero() { negative_zero_ = true; }
  void add_nans(std::int64_t count) {
    nans_ += count;
    other_ |= count > 0;
  }

  void merge(const ExactSum& other);

  /// The sum as in IEEE 754: NaN if a term is NaN or there are infinities of both signs; an
  /// infinity if there is one or the sum is too large; +0.0 for no terms and for an exact zero, but
  /// -0.0 if all terms are -0.0.
  double rounded() const;

  /// The exact sum / n, rounded once; NaN for n = 0.
  double divided_by(std::uint64_t n) const;

  std::int64_t nans() const { return nans_; }
  std::int64_t positive_infinities() const { return positive_infinities_; }
  std::int64_t negative_infinities() const { return negative_infinities_; }
  bool finite() const {
    return nans_ == 0 && positive_infinities_ == 0 && negative_infinities_ == 0;
  }
  /// A term other than -0.0 has been added: a zero sum is +0.0, whatever is added later.
  bool zero_is_positive() const { return other_; }

  /// All limbs in [0, 2^32) except the last one, which has the sign; unique for a value.
  std::array<std::int64_t, kLimbs> limbs() const;

  /// Writes kWords words. Up to 2^20 such arrays may be added word by word; from_words() accepts
  /// the result.
  void to_words(std::span<std::int64_t> words) const;
  static ExactSum from_words(std::span<const std::int64_t> words);

  /// Equal values, with the same counts of NaN and infinities and the same sign of zero.
  bool operator==(const ExactSum& other) const;

 private:
  /// Exponent of NaN and infinities.
  static constexpr int kNotFinite = 0x7ff - 1075;

  /// Each term adds less than 2^32 to a limb.
  // crossed by: StaysExactWhenLimbsAreFull, MillionsOfWordArraysMayBeAdded
  static constexpr std::uint32_t kMaxPending = 1U << 30;

  void add_magnitude(std::uint64_t magnitude, int exponent, bool negative) {
    other_ = true;
    const int at_bit = exponent - kLowestExponent;
    std::int64_t* limb = &limbs_[static_cast<std::size_t>(at_bit / 32)];
    const UnsignedInt128 bits = static_cast<UnsignedInt128>(magnitude) << (at_bit % 32);
    const std::int64_t sign = negative ? -1 : 0;
    const auto add_piece = [&](int i, std::uint64_t piece) {
      const auto value = static_cast<std::int64_t>(piece & 0xffffffff);
      limb[i] += (value ^ sign) - sign;
    };
    add_piece(0, static_cast<std::uint64_t>(bits));
    add_piece(1, static_cast<std::uint64_t>(bits) >> 32);
    add_piece(2, static_cast<std::uint64_t>(bits >> 64));
    if (++pending_ == kMaxPending) normalise();
  }

  /// Propagates the bits above the lower 32 of each limb to the next one.
  void normalise();

  std::array<std::int64_t, kLimbs> limbs_{};
  std::int64_t nans_ = 0;
  std::int64_t positive_infinities_ = 0;
  std::int64_t negative_infinities_ = 0;
  bool negative_zero_ = false;
  bool other_ = false;
  std::uint32_t pending_ = 0;
};

/// For sums of f64, f32 and integers: 2^-1088 to 2^1152.
using Superaccumulator = ExactSum<1>;

/// For sums of products of two f64: 2^-2176 to 2^2176.
using SquareAccumulator = ExactSum<2>;

/// For sums of third and of fourth powers of f64 and of integers.
using CubeAccumulator = ExactSum<3>;
using FourthPowerAccumulator = ExactSum<4>;

extern template class ExactSum<1>;
extern template class ExactSum<2>;
extern template class ExactSum<3>;
extern template class ExactSum<4>;

/// The exact value of (sum of squares - sum^2 / n) / (n - ddof), rounded once. NaN if n <= ddof or
/// if a term was not finite.
double variance(const Superaccumulator& sum, const SquareAccumulator& squares, std::uint64_t n,
                std::uint64_t ddof);

/// The root of that exact value, rounded once.
double standard_deviation(const Superaccumulator& sum, const SquareAccumulator& squares,
                          std::uint64_t n, std::uint64_t ddof);

/// The root of the exact sum, rounded once: norm2 of the numbers whose squares were added.
double square_root(const SquareAccumulator& squares);

/// The root of the exact sum / n, rounded once: root mean square. NaN for n = 0.
double root_of_mean(const SquareAccumulator& squares, std::uint64_t n);

}  // namespace tessera::kernels
