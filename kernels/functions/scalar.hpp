// The functions with f64 as the number type, for plain C++.
#pragma once

#include <cstdint>

#include "kernels/functions/tables.hpp"
#include "kernels/real/scalar.hpp"

namespace tessera::kernels::functions::scalar {

#define TS_FN [[gnu::always_inline]] inline
#define TS_REAL double
#define TS_BITS std::uint64_t
#define TS_MASK bool
#define TS_CONSTANTS const double*
// clang-format off
#include "kernels/functions/one_number.h"
#include "kernels/functions/functions.h"
// clang-format on
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK
#undef TS_CONSTANTS
#undef TS_LENGTH
#undef ts_shift_left
#undef ts_shift_right
#undef TS_ROW
#undef TS_ROW_OF_16

}  // namespace tessera::kernels::functions::scalar
