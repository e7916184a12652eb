// For which instruction sets Highway compiles the sources of this folder; before highway.h.
#pragma once

// Vectors without a compile-time size cannot be members of structs.
#define TESSERA_NO_SETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// What sets newer than AVX-512's first have besides, no kernel uses: Highway's bits are in order,
// the better the lower. Without fused multiply-add, kernels are plain code.
#define TESSERA_NO_NEWER_SETS (HWY_AVX3 - 1)
#define TESSERA_NO_OLDER_SETS (HWY_SSSE3 | HWY_SSE4)
#ifdef TESSERA_SANITIZED
// A set more takes minutes to compile with sanitizers; the other builds test it.
#define TESSERA_NO_LARGER_SETS HWY_AVX3
#else
#define TESSERA_NO_LARGER_SETS 0
#endif
#define HWY_DISABLED_TARGETS \
  (TESSERA_NO_SETS | TESSERA_NO_NEWER_SETS | TESSERA_NO_OLDER_SETS | TESSERA_NO_LARGER_SETS)

#include <hwy/detect_targets.h>  // IWYU pragma: export
