#include "plane/decimals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace tessera::plane {
namespace {

/// Most digits of a text that is made exact.
constexpr std::int64_t kMostDigits = 400'000;

constexpr std::int64_t kBitsOfDigit = 4;

/// Without zeros at the end of its places.
std::string trimmed(std::string text) {
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::int64_t bits_of(std::string_view text) {
  const base::DecimalDigits digits = base::digits_of(text);
  const std::int64_t most =
      std::max(digits.places, std::int64_t{0}) + std::max(digits.exponent, std::int64_t{0});
  if (most > kMostDigits)
    throw base::usage_error("'{}' has too many digits", base::shortened(text));
  return kBitsOfDigit * (most + digits.significant) + Real::kBits;
}

/// A text that parse_coordinate() takes too: no "+1", no blanks.
std::string checked(std::string_view text) {
  base::nearest_real(text, "number");
  std::string_view rest = base::trim(text);
  if (rest.starts_with('+')) rest.remove_prefix(1);
  return std::string(rest);
}

}  // namespace

std::string decimal_of(const Real& value, int digits) {
  if (value.is_zero()) return "0";
  const std::string text = value.printed("%.*Re", digits - 1);
  const std::size_t mark = text.find('e');
  const std::int64_t exponent =
      base::read_integer(text.substr(mark + (text[mark + 1] == '+' ? 2 : 1))).value();
  constexpr std::int64_t kPlainPlaces = 5;
  if (exponent < -kPlainPlaces || exponent > kPlainPlaces) {
    return fmt::format("{}e{}", trimmed(text.substr(0, mark)), exponent);
  }
  return trimmed(value.printed("%.*Rf", digits - 1 - exponent));
}

std::string scaled(std::string_view one, std::string_view factor, std::string_view divisor) {
  return decimal_of(Real(checked(one)) * Real(checked(factor)) / Real(checked(divisor)));
}

std::string middle(std::string_view one, std::string_view other) {
  const std::int64_t bits = bits_of(one) + bits_of(other);
  Real sum(checked(one), bits);
  mpfr_add(sum.get(), sum.get(), Real(checked(other), bits).get(), MPFR_RNDN);
  mpfr_div_2ui(sum.get(), sum.get(), 1, MPFR_RNDN);
  const std::int64_t places =
      std::max({base::digits_of(one).places, base::digits_of(other).places, std::int64_t{0}});
  return trimmed(sum.printed("%.*Rf", places + 1));
}

std::string distance(std::string_view one, std::string_view other) {
  const std::int64_t bits = bits_of(one) + bits_of(other);
  Real difference(checked(other), bits);
  mpfr_sub(difference.get(), difference.get(), Real(checked(one), bits).get(), MPFR_RNDN);
  return decimal_of(difference);
}

std::string decimal_of_hexadecimal(std::string_view text) {
  const std::size_t mark = std::min(text.find('@'), text.size());
  const std::string_view digits = text.substr(0, mark);
  std::int64_t shift = 0;
  if (mark < text.size()) {
    const auto power = base::read_integer(text.substr(mark + 1));
    if (!power) throw base::usage_error("'{}' is not a hexadecimal number", base::shortened(text));
    shift = *power;
  }
  std::string whole(digits);
  if (const std::size_t point = whole.find('.'); point != whole.npos) {
    shift -= static_cast<std::int64_t>(whole.size() - point - 1);
    whole.erase(point, 1);
  }
  return decimal_of_binary(whole, kBitsOfDigit * shift);
}

std::string decimal_of_binary(std::string_view hexadecimal_digits, std::int64_t exponent) {
  const auto digits = static_cast<std::int64_t>(hexadecimal_digits.size());
  if (std::abs(exponent) > kMostDigits || digits > kMostDigits) {
    throw base::usage_error("'{}' has too many digits", base::shortened(hexadecimal_digits));
  }
  Real value(hexadecimal_digits, kBitsOfDigit * digits + 2, 16);
  mpfr_mul_2si(value.get(), value.get(), static_cast<long>(exponent), MPFR_RNDN);
  return trimmed(value.printed("%.*Rf", std::max(-exponent, std::int64_t{0})));
}

std::string with_places(std::string_view text, std::int64_t places) {
  const std::int64_t missing = places - base::digits_of(text).places;
  if (missing <= 0) return std::string(text);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string mantissa(text.substr(0, mark));
  if (mantissa.find('.') == mantissa.npos) mantissa += '.';
  return mantissa + std::string(static_cast<std::size_t>(missing), '0') +
         std::string(text.substr(mark));
}

}  // namespace tessera::plane
