// Exact sums as big integers with a binary exponent, for quotients and roots, each rounded once.
// The integers are those of Boost.Multiprecision.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>
#include <utility>

namespace tessera::kernels {

/// mantissa * 2^exponent.
template <class IntegerType>
class ExactNumber {
 public:
  using Integer = IntegerType;

  ExactNumber(Integer mantissa, int exponent)
      : mantissa_(std::move(mantissa)), exponent_(exponent) {}

  /// A finite f64.
  static ExactNumber of(double x);
  /// Converts the limbs of a superaccumulator, all except the last in [0, 2^32).
  static ExactNumber of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent);
  /// The exact value of a finite ExactSum.
  template <class Sum>
  static ExactNumber of(const Sum& sum) {
    return of_limbs(sum.limbs(), Sum::kLowestExponent);
  }

  const Integer& mantissa() const { return mantissa_; }
  int exponent() const { return exponent_; }
  bool is_zero() const { return mantissa_.is_zero(); }

  friend ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) {
    return {a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_};
  }
  friend ExactNumber operator*(const ExactNumber& a, std::uint64_t b) {
    return {a.mantissa_ * b, a.exponent_};
  }
  friend ExactNumber operator-(const ExactNumber& a, const ExactNumber& b) {
    const int exponent = a.exponent_ < b.exponent_ ? a.exponent_ : b.exponent_;
    return {a.in_units(exponent) - b.in_units(exponent), exponent};
  }
  friend ExactNumber operator+(const ExactNumber& a, const ExactNumber& b) {
    const int exponent = a.exponent_ < b.exponent_ ? a.exponent_ : b.exponent_;
    return {a.in_units(exponent) + b.in_units(exponent), exponent};
  }
  friend bool operator<(const ExactNumber& a, const ExactNumber& b) {
    return (a - b).mantissa_ < 0;
  }

 private:
  /// The number as a multiple of 2^exponent; `exponent` is at most that of the number.
  Integer in_units(int exponent) const {
    return mantissa_ * (Integer(1) << static_cast<unsigned>(exponent_ - exponent));
  }

  Integer mantissa_;
  int exponent_;
};

/// Has room for squares of sums of f64, with 4480 bits. The size is fixed, so nothing is allocated.
using BigNumber = ExactNumber<boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<5120, 5120, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked, void>,
    boost::multiprecision::et_off>>;
/// Has any length.
using LongNumber =
    ExactNumber<boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>>;

/// x / divisor, rounded once to nearest even; +0.0 if x is zero. The divisor is positive.
template <class Integer>
double rounded_quotient(const ExactNumber<Integer>& x, const ExactNumber<Integer>& divisor);

/// sqrt(x / divisor), rounded once to nearest even; NaN if x is negative. The divisor is positive.
template <class Integer>
double rounded_root_of_quotient(const ExactNumber<Integer>& x, const ExactNumber<Integer>& divisor);

/// n m.
inline BigNumber product(std::uint64_t n, std::uint64_t m = 1) {
  return {BigNumber::Integer(n) * m, 0};
}

extern template class ExactNumber<BigNumber::Integer>;
extern template class ExactNumber<LongNumber::Integer>;

}  // namespace tessera::kernels
