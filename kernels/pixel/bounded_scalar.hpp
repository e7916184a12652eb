// Orbits with bounds of their errors, with f64 as the number type, for plain C++ loops.
#pragma once

#include "kernels/pixel/bounds.hpp"
#include "kernels/pixel/scalar.hpp"

namespace tessera::kernels {

#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#include "kernels/pixel/bounded_steps.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

}  // namespace tessera::kernels
