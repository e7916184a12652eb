// For plain loops with std::fma: one instruction where the processor has it, and a call of ten
// times the cost where the compiler may not assume so.
#pragma once

/// Before a function: compiled with and without that instruction, chosen by the loader. The same
/// bits by definition. Not with clang, which cannot clone what is `flatten`.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__FMA__) && \
    !defined(TESSERA_SANITIZED)
#define TESSERA_WITH_AND_WITHOUT_FMA __attribute__((target_clones("fma", "default")))
#else
#define TESSERA_WITH_AND_WITHOUT_FMA
#endif
