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
#define TS_GLOBAL
// clang-format off
#include "kernels/pixel/escape.h"
#include "kernels/pixel/bounded_steps.h"
#include "kernels/pixel/bounded_orbit.h"
#include "kernels/pixel/long_orbit.h"
// clang-format on
#undef TS_GLOBAL
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

}  // namespace tessera::kernels
