// Sets the floating-point environment that exact sums need.
#pragma once

#include <cfenv>

namespace tessera::device::cpu {

/// While it lives: round to nearest, and subnormal numbers enabled. A library in the process may
/// have set flush-to-zero, or the caller another rounding mode.
class PlainArithmetic {
 public:
  PlainArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() { std::fesetenv(&saved_); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace tessera::device::cpu
