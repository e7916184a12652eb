// Sets the floating-point environment that exact sums need.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace tessera::device::cpu {

/// While it lives: round to nearest, and subnormal numbers enabled. A library in the process may
/// have set flush-to-zero, or the caller another rounding mode.
class PlainArithmetic {
 public:
#if defined(__x86_64__)
  // MXCSR alone: fesetenv() also sets the x87 unit, which no sum uses, and takes 70 ns.
  PlainArithmetic() : saved_(_mm_getcsr()) {
    _mm_setcsr(kDefault);
  }
  ~PlainArithmetic() {
    _mm_setcsr(saved_);
  }
#else
  PlainArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() {
    std::fesetenv(&saved_);
  }
#endif
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kDefault = 0x1f80;  ///< all exceptions masked, no flag raised
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace tessera::device::cpu
