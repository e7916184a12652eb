// Decimal numbers as text, of any number of digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::base {

/// One text for every spelling of a number that parse_real() takes: "-75e-2" for "-0.750", "0" for
/// every zero. Its digits begin and end with another one than 0.
std::string normalized_decimal(std::string_view text);

/// The nearest f64: 0 for a number below its range, such as 1e-1000, infinity above it. Throws a
/// usage error that starts with `what` for text that is not a finite decimal number.
double nearest_real(std::string_view text, std::string_view what);

/// The facts about the digits of a number that nearest_real() takes.
struct DecimalDigits {
  std::int64_t significant = 0;  ///< from the first one that is not 0, later zeros included
  std::int64_t places = 0;       ///< after the point: the last digit counts 10^-places
  std::int64_t exponent = 0;     ///< the first significant digit counts 10^exponent; 0 for zero
};
DecimalDigits digits_of(std::string_view text);

/// For messages: `text`, or the front of a long one and how many characters follow.
std::string shortened(std::string_view text);

}  // namespace tessera::base
