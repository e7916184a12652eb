#include "base/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/text.hpp"

namespace tessera::base {

std::string normalized_decimal(std::string_view text) {
  std::string_view rest = trim(text);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::size_t mantissa = std::min(rest.find_first_of("eE"), rest.size());

  std::string digits(rest.substr(0, mantissa));
  std::int64_t exponent = 0;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent = static_cast<std::int64_t>(point) + 1 - static_cast<std::int64_t>(digits.size());
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  const std::size_t significant = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int64_t>(digits.size() - significant);
  digits.resize(significant);

  if (mantissa < rest.size()) {
    std::string_view power = rest.substr(mantissa + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::int64_t shift = 0;
    std::from_chars(power.data(), power.data() + power.size(), shift);
    exponent += shift;
  }
  return fmt::format("{}{}e{}", negative ? "-" : "", digits, exponent);
}

}  // namespace tessera::base
