// Detects whether an operation on f32 or f64 was rounded, by the processor's inexact flag. Once
// raised, it stays raised until it is cleared (IEEE 754-2019, section 7.6).
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tessera::device::cpu {

/// A compiler barrier: stores before it are complete, loads after it have not begun. The compiler
/// may move arithmetic across accesses to the flag, but not stores and loads across this.
inline void settle_memory(const void* results) {
  asm volatile("" : : "r"(results) : "memory");
}

/// The flag belongs to the thread. The tested operations must be in a function that is not inlined,
/// called between `lower` and `is_raised`, because the compiler does not know that they set the
/// flag.
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

  /// Whether this machine raises the flag. Emulators such as Valgrind do not.
  static bool works() {
    static const bool tells = tells_rounded_from_exact();
    return tells;
  }

 private:
#if defined(__SSE2__)
  static constexpr unsigned kInexact = 0x20;  ///< bit of MXCSR
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
