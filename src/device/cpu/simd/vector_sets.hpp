// The instruction sets that Highway compiles for the sources of this folder. Include it before
// highway.h.
#pragma once

// Vectors without a compile-time size cannot be members of structs.
#define TESSERA_NO_SETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#ifdef TESSERA_SANITIZED
// Each set takes minutes to compile with sanitizers, and these two differ little from others.
#define HWY_DISABLED_TARGETS (TESSERA_NO_SETS | HWY_SSSE3 | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS TESSERA_NO_SETS
#endif
