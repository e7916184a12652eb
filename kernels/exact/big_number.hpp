// Exact sums as big integers with a binary exponent, for quotients and roots, each rounded once.
// The integers are those of Boost.Multiprecision.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>

namespace tessera::kernels {

/// mantissa * 2^exponent.
class BigNumber {
 public:
  /// The longest numbers are squares of sums of f64, with 4480 bits. The size is fixed, so nothing
  /// is allocated.
  using Backend =
      boost::multiprecision::cpp_int_backend<5120, 5120, boost::multiprecision::signed_magnitude,
                                             boost::multiprecision::unchecked, void>;
  using Integer = boost::multiprecision::number<Backend, boost::multiprecision::et_off>;

  BigNumber(Integer mantissa, int exponent) : mantissa_(std::move(mantissa)), exponent_(exponent) {}

  /// Converts the limbs of a superaccumulator, all except the last in [0, 2^32).
  static BigNumber of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent);

  const Integer& mantissa() const { return mantissa_; }
  int exponent() const { return exponent_; }
  bool is_zero() const { return mantissa_.is_zero(); }

  friend BigNumber operator*(const BigNumber& a, const BigNumber& b) {
    return {a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_};
  }
  friend BigNumber operator*(const BigNumber& a, std::uint64_t b) {
    return {a.mantissa_ * b, a.exponent_};
  }
  friend BigNumber operator-(const BigNumber& a, const BigNumber& b);

 private:
  Integer mantissa_;
  int exponent_;
};

/// x / (n m), rounded once to nearest even; +0.0 if x is zero. n and m are not 0.
double rounded_quotient(const BigNumber& x, std::uint64_t n, std::uint64_t m = 1);

/// sqrt(x / (n m)), rounded once to nearest even; NaN if x is negative.
double rounded_root_of_quotient(const BigNumber& x, std::uint64_t n, std::uint64_t m = 1);

}  // namespace tessera::kernels
