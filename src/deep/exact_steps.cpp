#include "deep/exact_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "deep/big_real.hpp"

namespace tessera::deep {
namespace {

constexpr std::int64_t kMaxPlaces = 1'000'000;
constexpr double kBitsOfDigit = 3.33;
constexpr std::int64_t kBitsOfFactor = 64;
/// Of a f64 that a matrix may have times a number of steps.
constexpr std::int64_t kBitsOfStride = 256;
constexpr std::int64_t kStridePlaces = 24;

/// digits * 10^exponent
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

Decimal decimal_of(const std::string& text) {
  const std::string normalized = base::normalized_decimal(text);
  const std::size_t e = std::min(normalized.find('e'), normalized.size());
  Decimal decimal{normalized.substr(0, e)};
  if (e < normalized.size())
    decimal.exponent = base::read_integer(normalized.substr(e + 1)).value();
  return decimal;
}

/// Bits of the integer digits * 10^places * 5^halvings * factor.
std::int64_t bits_for(const Decimal& decimal, std::int64_t places, int halvings) {
  const auto digits = static_cast<double>(static_cast<std::int64_t>(decimal.digits.size()) +
                                          places + std::abs(halvings));
  return static_cast<std::int64_t>(digits * kBitsOfDigit) + kBitsOfFactor;
}

void multiply_by_power(BigReal& number, unsigned long base, std::int64_t exponent) {
  BigReal power(number.bits());
  mpfr_ui_pow_ui(power.get(), base, static_cast<unsigned long>(exponent), MPFR_RNDN);
  mpfr_mul(number.get(), number.get(), power.get(), MPFR_RNDN);
}

std::string printed(const BigReal& integer, std::int64_t exponent) {
  return base::normalized_decimal(fmt::format("{}e{}", integer.printed("%.*Rf", 0), exponent));
}

}  // namespace

std::string scaled_exactly(const std::string& unit, std::int64_t factor, int halvings) {
  const Decimal decimal = decimal_of(unit);
  BigReal number(decimal.digits, bits_for(decimal, 0, halvings));
  mpfr_mul_si(number.get(), number.get(), static_cast<long>(factor), MPFR_RNDN);
  // A half is 5 / 10.
  multiply_by_power(number, halvings < 0 ? 2 : 5, std::abs(halvings));
  return printed(number, decimal.exponent - std::max(halvings, 0));
}

std::string moved_exactly(const std::string& start, const std::string& unit, std::int64_t steps,
                          int halvings) {
  const Decimal a = decimal_of(start);
  const Decimal b = decimal_of(scaled_exactly(unit, steps, halvings));
  if (b.digits == "0") return base::normalized_decimal(start);
  if (a.digits == "0") return scaled_exactly(unit, steps, halvings);
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  const std::int64_t places = std::max(a.exponent, b.exponent) - exponent;
  if (places > kMaxPlaces) throw base::usage_error("a number would have {} digits", places);
  const std::int64_t bits = std::max(bits_for(a, places, 0), bits_for(b, places, 0));
  BigReal sum(a.digits, bits);
  BigReal more(b.digits, bits);
  multiply_by_power(sum, 10, a.exponent - exponent);
  multiply_by_power(more, 10, b.exponent - exponent);
  mpfr_add(sum.get(), sum.get(), more.get(), MPFR_RNDN);
  return printed(sum, exponent);
}

std::string moved_along(const std::string& start, const std::string& unit, const Stride& one,
                        const Stride& other, int halvings) {
  const auto is_whole = [](double factor) { return factor == std::round(factor); };
  if (is_whole(one.factor) && is_whole(other.factor)) {
    const auto steps = static_cast<std::int64_t>(one.factor) * one.steps +
                       static_cast<std::int64_t>(other.factor) * other.steps;
    return moved_exactly(start, unit, steps, halvings);
  }
  const double log10_of_step = std::log10(2.0) * (log2_of(unit) - halvings);
  const std::int64_t places =
      std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(-log10_of_step)), 0) +
      kStridePlaces;
  const std::int64_t bits = bits_for(decimal_of(start), places, halvings) + kBitsOfStride;
  BigReal sum(bits);
  BigReal term(bits);
  for (const Stride& stride : {one, other}) {
    mpfr_set_d(term.get(), stride.factor, MPFR_RNDN);
    mpfr_mul_si(term.get(), term.get(), static_cast<long>(stride.steps), MPFR_RNDN);
    mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
  }
  mpfr_mul(sum.get(), sum.get(), BigReal(unit, bits).get(), MPFR_RNDN);
  mpfr_mul_2si(sum.get(), sum.get(), -static_cast<long>(halvings), MPFR_RNDN);
  mpfr_add(sum.get(), sum.get(), BigReal(start, bits).get(), MPFR_RNDN);
  return base::normalized_decimal(sum.printed("%.*Rf", places));
}

std::string rounded(const std::string& decimal, std::int64_t places) {
  const Decimal parts = decimal_of(decimal);
  const std::int64_t more = std::max<std::int64_t>(parts.exponent, 0) + places;
  return BigReal(decimal, bits_for(parts, more, 0)).printed("%.*Rf", places);
}

double log2_of(const std::string& decimal) {
  const kernels::ScaledReal scaled = BigReal(decimal, kBitsOfFactor).scaled();
  return static_cast<double>(scaled.e) + std::log2(scaled.m);
}

}  // namespace tessera::deep
