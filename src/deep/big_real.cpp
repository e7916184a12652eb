#include "deep/big_real.hpp"

#include <string>

#include "base/error.hpp"

namespace tessera::deep {

BigReal::BigReal(std::string_view text, std::int64_t bits) : BigReal(bits) {
  if (mpfr_set_str(get(), std::string(text).c_str(), 10, MPFR_RNDN) != 0) {
    throw base::usage_error("'{}' is not a decimal number", text);
  }
}

bool BigReal::holds(std::string_view text, std::int64_t bits) {
  BigReal value(bits);
  return mpfr_strtofr(value.get(), std::string(text).c_str(), nullptr, 10, MPFR_RNDN) == 0;
}

kernels::ScaledReal BigReal::scaled() const {
  if (mpfr_zero_p(get()) != 0) return {};
  long exponent = 0;
  const double mantissa = mpfr_get_d_2exp(&exponent, get(), MPFR_RNDN);
  return {mantissa, exponent};
}

}  // namespace tessera::deep
