#include "deep/big_real.hpp"

#include <string>

#include "base/error.hpp"

namespace tessera::deep {

BigReal::BigReal(std::string_view text, std::int64_t bits) : BigReal(bits) {
  if (mpfr_set_str(value_, std::string(text).c_str(), 10, MPFR_RNDN) != 0) {
    throw base::usage_error("'{}' is not a decimal number", text);
  }
}

bool BigReal::holds(std::string_view text, std::int64_t bits) {
  BigReal value(bits);
  return mpfr_strtofr(value.get(), std::string(text).c_str(), nullptr, 10, MPFR_RNDN) == 0;
}

BigReal::BigReal(const BigReal& other) : BigReal(other.bits()) {
  mpfr_set(value_, other.value_, MPFR_RNDN);
}

BigReal& BigReal::operator=(const BigReal& other) {
  if (this == &other) return *this;
  mpfr_set_prec(value_, mpfr_get_prec(other.value_));
  mpfr_set(value_, other.value_, MPFR_RNDN);
  return *this;
}

kernels::ScaledReal BigReal::scaled() const {
  if (mpfr_zero_p(value_) != 0) return {};
  long exponent = 0;
  const double mantissa = mpfr_get_d_2exp(&exponent, value_, MPFR_RNDN);
  return {mantissa, exponent};
}

}  // namespace tessera::deep
