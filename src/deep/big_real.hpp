// MPFR numbers that free themselves.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/deep/scaled.hpp"

namespace tessera::deep {

class BigReal {
 public:
  explicit BigReal(std::int64_t bits) {
    mpfr_init2(value_, static_cast<mpfr_prec_t>(bits));
    mpfr_set_zero(value_, 1);
  }
  /// The decimal number `text`, rounded to nearest.
  BigReal(std::string_view text, std::int64_t bits);
  BigReal(const BigReal& other);
  BigReal& operator=(const BigReal& other);
  ~BigReal() { mpfr_clear(value_); }

  /// Whether `text` is a number of so many bits.
  static bool holds(std::string_view text, std::int64_t bits);

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  std::int64_t bits() const { return static_cast<std::int64_t>(mpfr_get_prec(value_)); }

  /// Nearest f64 m 2^e with |m| in [1/2, 1).
  kernels::ScaledReal scaled() const;

 private:
  mpfr_t value_;
};

struct BigComplex {
  BigReal re;
  BigReal im;
};

}  // namespace tessera::deep
