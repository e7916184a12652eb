// Whether an operation on f32 or f64 has been rounded, as the processor itself says: IEEE 754's
// inexact flag, which once raised stays up until it is lowered (IEEE 754-2019, section 7.6).
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tessera::device::cpu {

/// Results that are to be in memory are there, and nothing has been read ahead. The compiler would
/// move arithmetic across what is done to the flag, but not stores and loads across this.
inline void settle_memory(const void* results) {
  asm volatile("" : : "r"(results) : "memory");
}

/// The flag is the thread's. Operations of which it is to tell belong into a function that is not
/// inlined, between `lower` and `is_raised`: the compiler does not know that they are related.
class RoundingFlag {
 public:
  static void lower() {
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() & ~kAllFlags);
#else
    std::feclearexcept(FE_INEXACT);
#endif
  }

  static bool is_raised() {
#if defined(__SSE2__)
    return (_mm_getcsr() & kInexact) != 0;
#else
    return std::fetestexcept(FE_INEXACT) != 0;
#endif
  }

  /// Whether this machine raises it. Some that are made of software do not: Valgrind.
  static bool works() {
    static const bool tells = tells_rounded_from_exact();
    return tells;
  }

 private:
#if defined(__SSE2__)
  static constexpr unsigned kInexact = 0x20;  ///< of MXCSR
  static constexpr unsigned kAllFlags = 0x3f;
#endif

  static bool tells_rounded_from_exact() {
    volatile double sum = 1;
    lower();
    sum = sum + 0x1p-52;
    const bool of_exact = is_raised();
    sum = sum + 0x1p-54;
    return !of_exact && is_raised();
  }
};

}  // namespace tessera::device::cpu
