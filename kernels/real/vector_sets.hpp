// The instruction sets that Highway compiles for the mathematics of pixels, arrays and functions.
// Include it before highway.h.
#pragma once

// Vectors without a compile-time size cannot be members of structs.
#define TESSERA_NO_SETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// No kernel uses an instruction that newer AVX-512 sets add (IFMA is detected at run time). In
// Highway, a lower bit is a better set. Sets without fused multiply-add use the plain code of SSE2.
#define TESSERA_NO_NEWER_SETS (HWY_AVX3 - 1)
#define TESSERA_NO_OLDER_SETS (HWY_SSSE3 | HWY_SSE4)
#ifdef TESSERA_SANITIZED
// AVX-512 takes minutes to compile with sanitizers. It is tested in builds without them.
#define TESSERA_NO_LARGER_SETS HWY_AVX3
#else
#define TESSERA_NO_LARGER_SETS 0
#endif
#define HWY_DISABLED_TARGETS \
  (TESSERA_NO_SETS | TESSERA_NO_NEWER_SETS | TESSERA_NO_OLDER_SETS | TESSERA_NO_LARGER_SETS)

#include <hwy/detect_targets.h>  // IWYU pragma: export
