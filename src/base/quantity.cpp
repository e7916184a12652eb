#include "base/quantity.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace tessera::base {
namespace {

bool is_decimal(std::string_view text) {
  return read_real(text) && text.find_first_of("0123456789") < 2;
}

/// "10k" as "10e3"; a text without such a letter as it is.
std::string with_exponent(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 4> kPowers = {
      {{'k', "e3"}, {'K', "e3"}, {'M', "e6"}, {'G', "e9"}}};
  for (const auto& [letter, exponent] : kPowers) {
    if (!text.ends_with(letter)) continue;
    return std::string(trim(text.substr(0, text.size() - 1))).append(exponent);
  }
  return std::string(text);
}

/// The digits of a decimal number; nothing if it is no whole number of up to 19 digits.
std::optional<std::string> whole_digits(std::string_view text) {
  const std::string decimal = with_exponent(trim(text));
  if (!is_decimal(decimal)) return std::nullopt;
  const std::string normal = normalized_decimal(decimal);
  const std::size_t mark = normal.find('e');
  if (mark == std::string::npos) return normal;  // 0
  const auto zeros = read_integer(normal.substr(mark + 1));
  if (!zeros || *zeros < 0 || *zeros > 18) return std::nullopt;
  return normal.substr(0, mark).append(static_cast<std::size_t>(*zeros), '0');
}

/// The seconds of a unit; 0 if there is no such unit.
double unit_seconds(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, int>, 5> kUnits = {
      {{"d", 86400}, {"h", 3600}, {"m", 60}, {"min", 60}, {"s", 1}}};
  const auto found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, int>::first);
  return found == kUnits.end() ? 0 : found->second;
}

/// Removes the characters of `kind`, or all others, from the front of `text` and returns them.
std::string_view take_front(std::string_view& text, bool digits) {
  constexpr std::string_view kDigits = "0123456789.";
  const std::size_t end = digits ? text.find_first_not_of(kDigits) : text.find_first_of(kDigits);
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(front.size());
  return trim(front);
}

/// The sum of "1h30m"; nothing if a part lacks its number or has no known unit.
std::optional<double> sum_of_parts(std::string_view rest) {
  double seconds = 0;
  while (!rest.empty()) {
    const std::string_view number = take_front(rest, true);
    const double unit = unit_seconds(take_front(rest, false));
    if (!is_decimal(number) || unit == 0) return std::nullopt;
    seconds += parse_real(number, "") * unit;
  }
  return seconds;
}

}  // namespace

std::int64_t parse_count(std::string_view text, std::string_view what, std::int64_t low,
                         std::int64_t high) {
  if (const auto digits = whole_digits(text)) {
    const auto value = read_integer(*digits);
    if (value && *value >= low && *value <= high) return *value;
  }
  throw usage_error("{}: '{}' is not a whole number from {} to {}", what, text, low, high);
}

double parse_duration(std::string_view text, std::string_view what) {
  const std::string_view all = trim(text);
  if (all.find_first_of("dhms") == std::string_view::npos && is_decimal(all)) {
    if (const double seconds = parse_real(all, what); seconds >= 0) return seconds;
  } else if (const auto seconds = all.empty() ? std::nullopt : sum_of_parts(all)) {
    return *seconds;
  }
  throw usage_error("{}: '{}' is not a time such as 90, 1.5h or 1h30m", what, text);
}

}  // namespace tessera::base
