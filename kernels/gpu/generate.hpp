// kernels/gpu/generate.h as C++ sees it.
#pragma once

#include "kernels/pixel/scalar.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

inline double ts_div(double a, double b) {
  return a / b;
}

// Into the loops of each instruction set.
#define TS_FN [[gnu::always_inline]] inline
#include "kernels/gpu/generate.h"
#undef TS_FN

}  // namespace tessera::kernels
