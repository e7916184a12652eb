// The arithmetic that exact sums need, whatever the process has set.
#pragma once

#include <cfenv>

namespace tessera::device::cpu {

/// Rounding to nearest, and subnormal numbers as they are, while it lives: a library loaded
/// elsewhere in the process may have set flush-to-zero, or the caller another rounding.
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
