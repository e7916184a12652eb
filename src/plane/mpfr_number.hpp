// An MPFR number that frees itself.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <string>

namespace tessera::plane {

/// Copies have its bits, also where they are assigned.
class MpfrNumber {
 public:
  /// +0
  explicit MpfrNumber(std::int64_t bits) {
    mpfr_init2(value_, static_cast<mpfr_prec_t>(bits));
    mpfr_set_zero(value_, 1);
  }
  MpfrNumber(const MpfrNumber& other) : MpfrNumber(other.bits()) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  MpfrNumber& operator=(const MpfrNumber& other) {
    if (this == &other) return *this;
    mpfr_set_prec(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~MpfrNumber() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  std::int64_t bits() const { return static_cast<std::int64_t>(mpfr_get_prec(value_)); }

  /// `format` takes a precision and a number, as "%.*Re" does. With a point in every locale.
  std::string printed(const char* format, std::int64_t digits) const;

 private:
  mpfr_t value_;
};

}  // namespace tessera::plane
