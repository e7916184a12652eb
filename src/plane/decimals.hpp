// Decimal texts of numbers: quotients, sums, hexadecimal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plane/real.hpp"

namespace tessera::plane {

/// Digits of a width that is a quotient.
inline constexpr int kWidthDigits = 40;

/// `value` with at most so many digits, rounded to nearest, without zeros at its end: "0.25",
/// "1.5e-20".
std::string decimal_of(const Real& value, int digits = kWidthDigits);

/// one * factor / divisor with kWidthDigits digits. Throws a usage error for text that is no
/// decimal number.
std::string scaled(std::string_view one, std::string_view factor, std::string_view divisor);

/// The exact half of the sum of two decimal numbers.
std::string middle(std::string_view one, std::string_view other);

/// other - one with kWidthDigits digits, however many both have in common.
std::string distance(std::string_view one, std::string_view other);

/// The exact value of a hexadecimal number such as "-1.c13@-8", where "@-8" is 16^-8.
std::string decimal_of_hexadecimal(std::string_view text);

/// The exact value of a whole hexadecimal number times 2^exponent.
std::string decimal_of_binary(std::string_view hexadecimal_digits, std::int64_t exponent);

/// `text` with zeros up to so many decimal places; itself if it has as many.
std::string with_places(std::string_view text, std::int64_t places);

}  // namespace tessera::plane
