// Numbers as people write them.
#pragma once

#include <string>
#include <string_view>

namespace tessera::place {

/// The number at the front of `text`, as a decimal: "4,700,000", "3.2 x 10^18", "2^70", a Unicode
/// minus, long digits over several lines. "" where there is none, and where it could be several
/// numbers: "1,5", "400k".
std::string loose_number(std::string_view text);

/// The parts of "RE, IM", "(RE, IM)" and "RE + IM i".
struct LooseComplex {
  std::string re, im;  ///< "" where they are no numbers
};
LooseComplex loose_complex(std::string_view text);

}  // namespace tessera::place
