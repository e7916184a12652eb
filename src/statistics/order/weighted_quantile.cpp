#include "statistics/order/weighted_quantile.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "kernels/exact/wide_integers.hpp"

namespace tessera::statistics {

namespace {

using kernels::LongNumber;
using kernels::Superaccumulator;

/// Of an array of pairs.
constexpr auto kType = base::ElementType::f64;

LongNumber integer(std::int64_t x) {
  return {LongNumber::Integer(x), 0};
}

/// q in [0, 1] as the decimal number that is printed for it, so that 0.1 is a tenth: digits / unit.
struct Decimal {
  LongNumber digits{0, 0};
  LongNumber unit = integer(1);
};

Decimal decimal_of(double q) {
  std::array<char, 32> text{};  // as 1.25e-01
  const auto end = std::to_chars(text.begin(), text.end(), q, std::chars_format::scientific).ptr;
  const auto mark = std::find(text.begin(), end, 'e');
  std::int64_t digits = 0;
  int exponent = 0, places = 0;
  std::from_chars(mark + 1, end, exponent);  // leaves 0 for the +00 of 1
  for (auto at = text.begin(); at != mark; ++at) {
    if (*at == '.') continue;
    digits = 10 * digits + (*at - '0');
    if (at > text.begin()) ++places;
  }
  Decimal decimal{integer(digits)};
  for (int i = 0; i < places - exponent; ++i) decimal.unit = decimal.unit * 10;
  return decimal;
}

/// The places of the lowest and the highest bit of the weights.
struct Bits {
  int lowest = std::numeric_limits<int>::max();
  int highest = std::numeric_limits<int>::min();
};

Bits bits_of(std::span<const WeightedKey> keys) {
  Bits bits;
  for (const WeightedKey& one : keys) {
    const kernels::ExactTerm term = kernels::exact_term(one.weight);
    bits.lowest = std::min(bits.lowest, term.exponent + std::countr_zero(term.magnitude));
    const auto width = static_cast<int>(std::bit_width(term.magnitude));
    bits.highest = std::max(bits.highest, term.exponent + width);
  }
  return bits;
}

/// The first place up to which the weights, in units of 2^exponent, come to `sought`.
template <class Integer>
std::size_t first_that_reaches(const Integer& sought, std::span<const WeightedKey> keys,
                               int exponent) {
  Integer sum = 0;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const kernels::ExactTerm term = kernels::exact_term(keys[i].weight);
    const int shift = term.exponent - exponent;
    sum += shift < 0 ? Integer(term.magnitude >> -shift) : Integer(term.magnitude) << shift;
    if (sum >= sought) return i;
  }
  return keys.size() - 1;
}

std::size_t place_of(const WeightBound& bound, std::span<const WeightedKey> sorted,
                     const Superaccumulator& below) {
  // crossed by: AddsWeightsAsIntegersWhileTheyFit
  constexpr int kMaxBits = 126;  // of an integer with a sign, and a bit for its shift
  const Bits bits = bits_of(sorted);
  const LongNumber::Integer sought = bound.units(bits.lowest, LongNumber::of(below));
  const int of_sum = bits.highest - bits.lowest + static_cast<int>(std::bit_width(sorted.size()));
  if (of_sum > kMaxBits) return first_that_reaches(sought, sorted, bits.lowest);
  return first_that_reaches(static_cast<kernels::Int128>(sought), sorted, bits.lowest);
}

}  // namespace

bool WeightBound::reached_by(const LongNumber& cumulated) const {
  const LongNumber scaled = cumulated * divisor;
  return beyond ? numerator < scaled : !(scaled < numerator);
}

LongNumber::Integer WeightBound::units(int exponent, const LongNumber& below) const {
  const LongNumber rest = numerator - below * divisor;
  const int shift = rest.exponent() - divisor.exponent() - exponent;
  LongNumber::Integer dividend = rest.mantissa(), by = divisor.mantissa();
  (shift < 0 ? by : dividend) <<= static_cast<unsigned>(std::abs(shift));
  LongNumber::Integer quotient, remainder;
  divide_qr(dividend, by, quotient, remainder);
  if (beyond || !remainder.is_zero()) ++quotient;
  return quotient;
}

WeightWindow::WeightWindow(const job::WeightedMethod& method, double q, const LongNumber& sum,
                           const LongNumber& squares)
    : picks_(method.picks), scale_(0, 0), low_(0, 0), high_(0, 0) {
  const auto [place, unit] = decimal_of(q);
  if (picks_) {
    scale_ = sum * unit;
    high_ = place * sum * sum;
    return;
  }
  // Kish's effective number of elements is sum^2 / squares, and an element is as wide as
  // squares / sum. Times 24, for alpha and beta.
  const LongNumber whole = sum * sum * 24;
  const LongNumber to_element =
      unit * integer(method.alpha - 24) + place * integer(24 - method.alpha - method.beta);
  scale_ = sum * unit * 24;
  low_ = place * whole + squares * to_element;
  const LongNumber width = squares * unit * 24, last = whole * unit - width;
  if (low_.mantissa() < 0) low_ = integer(0);
  if (last < low_) low_ = last;
  high_ = low_ + width;
}

double WeightWindow::value(const WeightedEnds& ends) const {
  const double low = real_of_key(ends.low.key, kType), high = real_of_key(ends.high.key, kType);
  if (ends.low.key == ends.high.key) return high;
  if (std::isinf(low) || std::isinf(high)) return low + high;
  const LongNumber in_low = LongNumber::of(ends.low.up_to) * scale_ - low_;
  const LongNumber in_high = high_ - LongNumber::of(ends.high.below) * scale_;
  return kernels::rounded_quotient(in_low * LongNumber::of(low) +
                                       LongNumber::of(ends.between) * scale_ +
                                       in_high * LongNumber::of(high),
                                   high_ - low_);
}

WeightPlace find_place(const WeightBound& bound, std::span<const WeightedKey> sorted,
                       const Superaccumulator& below) {
  WeightPlace place{true, sorted[place_of(bound, sorted, below)].key, below, {}};
  auto next = sorted.begin();
  for (; next->key < place.key; ++next) place.below.add(next->weight);
  place.up_to = place.below;
  for (; next != sorted.end() && next->key == place.key; ++next) place.up_to.add(next->weight);
  return place;
}

void sort_weighted(std::span<WeightedKey> keys) {
  std::ranges::sort(keys, {}, &WeightedKey::key);
}

void add_between(std::span<const WeightedKey> keys, const KeyGap& gap,
                 kernels::SquareAccumulator& products) {
  for (const WeightedKey& one : keys) {
    if (one.key <= gap.low || one.key >= gap.high) continue;
    products.add_product(real_of_key(one.key, kType), one.weight);
  }
}

}  // namespace tessera::statistics
