// Decimal numbers as text, of any number of digits.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// One text for every spelling of a number that parse_real() takes: "-75e-2" for "-0.750", "0" for
/// every zero. Its digits begin and end with another one than 0.
std::string normalized_decimal(std::string_view text);

}  // namespace tessera::base
