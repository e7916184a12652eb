#include "place/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "place/loose_number.hpp"

namespace tessera::place {
namespace {

bool is_decimal(std::string_view text) {
  const auto value = base::read_real(text.starts_with('+') ? text.substr(1) : text);
  const bool has_digit = text.find_first_of("0123456789") != text.npos;
  return value && has_digit && !std::isnan(*value);
}

}  // namespace

void refuse(const Source& source, const std::string& why) {
  throw base::usage_error("{}: {}", source.name, why);
}

Values lines_of_keys(std::string_view text, char separator) {
  Values values;
  for (const std::string& line : base::split(text, '\n')) {
    const std::size_t mark = line.find(separator);
    if (mark == line.npos) continue;
    values[std::string(base::trim(std::string_view(line).substr(0, mark)))] =
        base::trim(std::string_view(line).substr(mark + 1));
  }
  return values;
}

std::string value_or(const Values& values, std::string_view key, std::string_view otherwise) {
  const auto found = values.find(key);
  return found == values.end() || found->second.empty() ? std::string(otherwise) : found->second;
}

std::string decimal(const Source& source, std::string_view key, std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  if (!is_decimal(trimmed)) {
    refuse(source, fmt::format("its {} '{}' is not a decimal number", key, base::shortened(text)));
  }
  return std::string(trimmed.substr(trimmed.starts_with('+') ? 1 : 0));
}

std::string decimal_value(const Source& source, const Values& values, std::string_view key,
                          std::string_view otherwise) {
  return decimal(source, key, value_or(values, key, otherwise));
}

double real_value(const Source& source, const Values& values, std::string_view key,
                  double otherwise) {
  const auto found = values.find(key);
  if (found == values.end() || found->second.empty()) return otherwise;
  return base::nearest_real(decimal(source, key, found->second), key);
}

std::string count(const Source& source, std::string_view key, std::string_view text) {
  std::string number = loose_number(text);
  const auto value = base::read_integer(number);
  if (value && *value > 0) return number;
  // A count such as 1e6.
  const auto real = base::read_real(number);
  constexpr double kMost = 9e15;
  if (real && *real >= 1 && *real <= kMost && *real == std::floor(*real)) {
    return std::to_string(static_cast<std::int64_t>(*real));
  }
  refuse(source, fmt::format("its {} '{}' is not a number of iterations", key, text));
}

}  // namespace tessera::place
