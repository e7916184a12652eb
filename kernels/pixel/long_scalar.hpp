// kernels/pixel/scalar.hpp with counters of 64 bits, for limits above 2^32 - 2. Call ts_begin(),
// ts_advance() and ts_measure(): ts_orbit() and ts_add_distance() stop at 2^32 - 1 iterations.
#pragma once

#include <cstdint>

#include "kernels/pixel/formulas.hpp"
#include "kernels/real/scalar.hpp"

namespace tessera::kernels::long_orbits {

using TS_U32 = std::uint64_t;  // the type of all counters
using TS_U64 = std::uint64_t;

#include "kernels/pixel/tile.h"
#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#include "kernels/pixel/escape.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

}  // namespace tessera::kernels::long_orbits
