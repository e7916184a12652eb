// For plain loops over elements: vectors of the processor at hand, not those of the oldest one.
#pragma once

/// Before a function: compiled with all that it calls, for AVX2 and without, chosen by the loader.
/// The same bits, because no operation is fused. Not with clang, which cannot clone what is
/// `flatten`.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TESSERA_WITH_AND_WITHOUT_AVX2 __attribute__((target_clones("avx2", "default"), flatten))
#else
#define TESSERA_WITH_AND_WITHOUT_AVX2
#endif
