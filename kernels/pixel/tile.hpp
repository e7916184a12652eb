// kernels/pixel/tile.h for C++.
#pragma once

#include <cstdint>

namespace tessera::kernels {

using TS_U32 = std::uint32_t;
using TS_U64 = std::uint64_t;

#include "kernels/pixel/tile.h"

/// Number of groups of a launch.
inline std::uint32_t groups_of(const TsTile& tile) {
  const std::uint32_t columns = (tile.width + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  const std::uint32_t rows = (tile.height + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  return columns * rows;
}

}  // namespace tessera::kernels
