// Numbers of any number of bits, for reference orbits.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/deep/scaled.hpp"
#include "plane/mpfr_number.hpp"

namespace tessera::deep {

class BigReal : public plane::MpfrNumber {
 public:
  using MpfrNumber::MpfrNumber;
  /// The decimal number `text`, rounded to nearest.
  BigReal(std::string_view text, std::int64_t bits);

  /// Whether `text` is a number of so many bits.
  static bool holds(std::string_view text, std::int64_t bits);

  /// Nearest f64 m 2^e with |m| in [1/2, 1).
  kernels::ScaledReal scaled() const;
};

struct BigComplex {
  BigReal re;
  BigReal im;
};

}  // namespace tessera::deep
