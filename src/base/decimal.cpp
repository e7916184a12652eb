#include "base/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace tessera::base {

namespace {

constexpr std::size_t kShownCharacters = 40;

/// The text before the exponent, and the exponent: the nearest one of 64 bits.
std::pair<std::string_view, std::int64_t> split_exponent(std::string_view text) {
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  if (mantissa == text.size()) return {text, 0};
  std::string_view power = text.substr(mantissa + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t exponent = 0;
  const auto error = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
  const bool too_long = error == std::errc::result_out_of_range;
  if (too_long) exponent = power.starts_with('-') ? -kMax : kMax;
  return {text.substr(0, mantissa), std::clamp(exponent, -kMax, kMax)};
}

}  // namespace

std::string normalized_decimal(std::string_view text) {
  std::string_view rest = trim(text);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto [mantissa, power] = split_exponent(rest);
  std::string digits(mantissa);
  std::int64_t exponent = power;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent += static_cast<std::int64_t>(point) + 1 - static_cast<std::int64_t>(digits.size());
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  const std::size_t significant = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int64_t>(digits.size() - significant);
  digits.resize(significant);
  return fmt::format("{}{}e{}", negative ? "-" : "", digits, exponent);
}

double nearest_real(std::string_view text, std::string_view what) {
  std::string_view digits = trim(text);
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  // Letters other than an exponent's are those of infinities and NaN.
  const bool has_digit = digits.find_first_of("0123456789") != digits.npos;
  if (const auto value = read_real(digits); value && has_digit && !std::isnan(*value))
    return *value;
  throw usage_error("{}: '{}' is not a finite decimal number", what, shortened(text));
}

DecimalDigits digits_of(std::string_view text) {
  const auto [mantissa, exponent] = split_exponent(trim(text));
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  const std::size_t behind = point == mantissa.size() ? 0 : mantissa.size() - point - 1;
  DecimalDigits digits{.places = static_cast<std::int64_t>(behind) - exponent};
  if (first == mantissa.npos) return digits;
  const std::size_t points = first < point && point < mantissa.size() ? 1 : 0;
  digits.significant = static_cast<std::int64_t>(mantissa.size() - first - points);
  digits.exponent = digits.significant - 1 - digits.places;
  return digits;
}

std::string shortened(std::string_view text) {
  if (text.size() <= 2 * kShownCharacters) return std::string(text);
  return fmt::format("{}... and {} more characters", text.substr(0, kShownCharacters),
                     text.size() - kShownCharacters);
}

}  // namespace tessera::base
