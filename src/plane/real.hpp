// Numbers of 256 bits for what is done once in a job: angles, quotients of widths.
#pragma once

#include <cstdint>
#include <string_view>

#include "plane/mpfr_number.hpp"

namespace tessera::plane {

class Real : public MpfrNumber {
 public:
  static constexpr std::int64_t kBits = 256;

  Real() : MpfrNumber(kBits) {}
  Real(double value) : Real() { mpfr_set_d(get(), value, MPFR_RNDN); }  // NOLINT
  /// The number `text` in the decimal or another system, rounded to nearest. Throws a usage error
  /// for other text.
  explicit Real(std::string_view text, std::int64_t bits = kBits, int base = 10);

  double nearest() const { return mpfr_get_d(get(), MPFR_RNDN) + 0.0; }
  bool is_zero() const { return mpfr_zero_p(get()) != 0; }
  int sign() const { return mpfr_sgn(get()); }
};

Real operator-(const Real& value);
Real operator+(const Real& one, const Real& other);
Real operator-(const Real& one, const Real& other);
Real operator*(const Real& one, const Real& other);
Real operator/(const Real& one, const Real& other);
Real sqrt(const Real& value);
/// 2^value
Real exp2(const Real& value);
Real log2(const Real& value);
/// In degrees: exact at multiples of 90.
Real cos_of_degrees(const Real& degrees);
Real sin_of_degrees(const Real& degrees);
Real degrees_of(const Real& y, const Real& x);
Real degrees_of_radians(const Real& radians);

}  // namespace tessera::plane
