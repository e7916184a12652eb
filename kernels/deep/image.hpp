// kernels/deep/image.h for C++.
#pragma once

#include <cstdint>

#include "kernels/pixel/formulas.hpp"

namespace tessera::kernels {

using TS_U32 = std::uint32_t;
using TS_U64 = std::uint64_t;
using TS_I64 = std::int64_t;

#include "kernels/deep/image.h"

}  // namespace tessera::kernels
