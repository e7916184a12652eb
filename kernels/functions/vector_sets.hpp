// The instruction sets that Highway compiles for the functions of blocks. Include it before
// highway.h.
#pragma once

#ifdef TESSERA_SANITIZED
// AVX-512 takes minutes to compile with sanitizers. It is tested in builds without them.
#define TESSERA_NO_LARGER_SETS HWY_AVX3
#else
#define TESSERA_NO_LARGER_SETS 0
#endif
// The sets that lower bits stand for add no instruction that functions use; those between SSE2 and
// AVX2 have no fused multiply-add. Vectors without a compile-time size cannot be members of
// structs.
#define HWY_DISABLED_TARGETS                                                          \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | \
   (HWY_AVX3 - 1) | TESSERA_NO_LARGER_SETS)
