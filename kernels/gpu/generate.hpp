// kernels/gpu/generate.h for C++.
#pragma once

#include "kernels/pixel/scalar.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

// Inlined into the loops of each instruction set.
#define TS_FN [[gnu::always_inline]] inline
#include "kernels/gpu/generate.h"
#undef TS_FN

}  // namespace tessera::kernels
