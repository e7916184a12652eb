// Whole numbers for people to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::base {

/// "1,234,567"
inline std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

}  // namespace tessera::base
