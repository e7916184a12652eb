// Numbers and pixels of 190 bits (kernels/deep/wide.h, wide_pixel.h) in C++.
#pragma once

#include <cstdint>

#include "kernels/deep/scalar.hpp"
#include "kernels/exact/wide_integers.hpp"

namespace tessera::kernels {

[[gnu::always_inline]] inline std::uint64_t ts_multiply_add(std::uint64_t a, std::uint64_t b,
                                                            std::uint64_t c, std::uint64_t d,
                                                            std::uint64_t* high) {
  const UnsignedInt128 sum = static_cast<UnsignedInt128>(a) * b + c + d;
  *high = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}

#define TS_FN [[gnu::always_inline]] inline
#define TS_APART TS_FN
#define TS_GLOBAL
#define TS_DEFAULT(value) = value
#include "kernels/deep/wide.h"
#include "kernels/deep/wide_pixel.h"
#undef TS_FN
#undef TS_APART
#undef TS_GLOBAL
#undef TS_DEFAULT

using WideComplex = TsWide;

inline bool operator==(const WideComplex& a, const WideComplex& b) {
  return ts_wide_equal(a, b) != 0;
}
inline WideComplex operator*(const WideComplex& a, const WideComplex& b) {
  return ts_wide_times(a, b);
}
inline WideComplex operator+(const WideComplex& a, const WideComplex& b) {
  return ts_wide_plus(a, b);
}
inline WideComplex twice(const WideComplex& a) {
  return ts_wide_twice(a);
}
inline ScaledReal magnitude(const WideComplex& a) {
  return ts_wide_size(a);
}

}  // namespace tessera::kernels
