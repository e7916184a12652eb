// The pixel mathematics, and the bounds of its errors, with f64 as the number type, for plain C++
// loops.
#pragma once

#include <cstdint>

#include "kernels/pixel/bounds.hpp"
#include "kernels/pixel/formulas.hpp"
#include "kernels/pixel/tile.hpp"
#include "kernels/real/scalar.hpp"

namespace tessera::kernels {

#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#include "kernels/pixel/escape.h"
// After it.
#include "kernels/pixel/bounded_steps.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

}  // namespace tessera::kernels
