// Text to number, in one place: whole texts only, the same in every locale, and without exceptions.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::base {

/// The integer that all of `text` is: decimal digits, of which a minus may be in front. Nothing for
/// any other text, such as "", "+1", " 1", "1.0", "0x10", and beyond the type's range.
template <std::integral T = std::int64_t>
std::optional<T> read_integer(std::string_view text);

/// The f64 that is nearest to the decimal number that all of `text` is, as "-1.5e-310"; also "inf"
/// and "nan". Beyond f64's range it is infinite, and 0 below it. Nothing for any other text, such
/// as
/// "", "+1", " 1", "0x1p3", "1e", "1,5".
std::optional<double> read_real(std::string_view text);

}  // namespace tessera::base
