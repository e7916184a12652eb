// The loop of kernels/deep/advance.h in plain C++.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/pixel/scalar.hpp"

namespace tessera::kernels {

#define TS_FN [[gnu::always_inline]] inline
#define TS_U32 std::uint32_t
#define TS_U64 std::uint64_t
#define TS_GLOBAL
#include "kernels/deep/advance.h"
#undef TS_FN
#undef TS_U32
#undef TS_U64
#undef TS_GLOBAL

}  // namespace tessera::kernels
