// Marks the public symbols of libtessera.so.
#pragma once

#if defined(_WIN32)
#error "Tessera is for Linux"
#endif
#define TESSERA_EXPORT __attribute__((visibility("default")))

/// The names are in tessera::v0, and so in tessera. In the library itself, tessera::reduce is a
/// namespace; compilers differ in what they make of a function of that name in an inline one.
#ifdef TESSERA_INSIDE
#define TESSERA_INLINE
#else
#define TESSERA_INLINE inline
#endif
