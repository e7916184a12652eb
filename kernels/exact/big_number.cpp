#include "kernels/exact/big_number.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/exact/round_once.hpp"
#include "kernels/exact/superaccumulator.hpp"

namespace tessera::kernels {

namespace {

template <class Integer>
int bits_of(const Integer& positive) {
  return static_cast<int>(msb(positive)) + 1;
}

/// mantissa * 2^exponent, plus less than one unit of the mantissa if `more` is set.
template <class Integer>
struct Truncated {
  Integer mantissa;
  int exponent;
  bool more;
};

/// x / divisor for positive numbers, with at least `requested_bits` bits and an even exponent.
template <class Integer>
Truncated<Integer> quotient(const Integer& x, int exponent, const Integer& divisor,
                            int requested_bits) {
  int shift = requested_bits + bits_of(divisor) - bits_of(x);
  if ((exponent - shift) % 2 != 0) ++shift;
  Truncated<Integer> result{0, exponent - shift, false};
  Integer rest;
  if (shift >= 0) {
    divide_qr(Integer(x << static_cast<unsigned>(shift)), divisor, result.mantissa, rest);
  } else {
    const auto drop = static_cast<unsigned>(-shift);
    result.more = lsb(x) < drop;
    divide_qr(Integer(x >> drop), divisor, result.mantissa, rest);
  }
  result.more |= !rest.is_zero();
  return result;
}

template <class Integer>
double round(bool negative, const Truncated<Integer>& value) {
  const int drop = bits_of(value.mantissa) -
                   64;  // never negative: the callers choose requested_bits accordingly
  const auto top =
      static_cast<std::uint64_t>(Integer(value.mantissa >> static_cast<unsigned>(drop)));
  const bool more = value.more || lsb(value.mantissa) < static_cast<unsigned>(drop);
  return round_once(negative, top, value.exponent + drop, more);
}

}  // namespace

template <class IntegerType>
ExactNumber<IntegerType> ExactNumber<IntegerType>::of_limbs(std::span<const std::int64_t> limbs,
                                                            int lowest_exponent) {
  // Starts at the first limb that is not 0: ordinary sums occupy few limbs.
  const auto first = static_cast<std::size_t>(
      std::find_if(limbs.begin(), limbs.end(), [](std::int64_t limb) { return limb != 0; }) -
      limbs.begin());
  if (first == limbs.size()) return {0, 0};
  Integer value = limbs.back();
  std::vector<std::uint32_t> digits;
  for (std::int64_t limb : limbs.subspan(first, limbs.size() - 1 - first)) {
    digits.push_back(static_cast<std::uint32_t>(limb));
  }
  Integer low;
  if (!digits.empty()) import_bits(low, digits.begin(), digits.end(), 32, false);
  value = (value * (Integer(1) << static_cast<unsigned>(32 * digits.size()))) + low;
  return {std::move(value), lowest_exponent + 32 * static_cast<int>(first)};
}

template <class IntegerType>
ExactNumber<IntegerType> ExactNumber<IntegerType>::of(double x) {
  const ExactTerm term = exact_term(x);
  Integer magnitude(term.magnitude);
  return {term.negative ? Integer(-magnitude) : magnitude, term.exponent};
}

template <class Integer>
double rounded_quotient(const ExactNumber<Integer>& x, const ExactNumber<Integer>& divisor) {
  if (x.is_zero()) return 0;
  const Integer magnitude = abs(x.mantissa());
  return round(x.mantissa() < 0,
               quotient(magnitude, x.exponent() - divisor.exponent(), divisor.mantissa(), 66));
}

template <class Integer>
double rounded_root_of_quotient(const ExactNumber<Integer>& x,
                                const ExactNumber<Integer>& divisor) {
  if (x.mantissa() < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x.is_zero()) return 0;
  const Truncated square =
      quotient(x.mantissa(), x.exponent() - divisor.exponent(), divisor.mantissa(), 132);
  Integer rest;
  Truncated<Integer> root{sqrt(square.mantissa, rest), square.exponent / 2, square.more};
  root.more |= !rest.is_zero();
  return round(false, root);
}

template class ExactNumber<BigNumber::Integer>;
template class ExactNumber<LongNumber::Integer>;
template double rounded_quotient(const BigNumber&, const BigNumber&);
template double rounded_quotient(const LongNumber&, const LongNumber&);
template double rounded_root_of_quotient(const BigNumber&, const BigNumber&);
template double rounded_root_of_quotient(const LongNumber&, const LongNumber&);

}  // namespace tessera::kernels
