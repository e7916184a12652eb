// ISA-L returns without vzeroupper. On x86, all code without AVX then runs at less than half its
// speed, until the upper halves are cleared (measured on colouring after a checksum).
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera::base {

#if defined(__x86_64__)
[[gnu::target("avx")]] inline void zero_upper_halves() {
  _mm256_zeroupper();
}

/// Call this after every call of ISA-L.
inline void clear_vector_state() {
  if (__builtin_cpu_supports("avx")) zero_upper_halves();
}
#else
inline void clear_vector_state() {}
#endif

}  // namespace tessera::base
