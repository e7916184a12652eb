// kernels/pixel/tile.h for C++.
#pragma once

#include <cstdint>

namespace tessera::kernels {

using TS_U32 = std::uint32_t;
using TS_U64 = std::uint64_t;

#include "kernels/pixel/tile.h"

/// Orbits that a launch starts or continues.
inline std::uint64_t orbits_of(const TsTile& tile) {
  if (tile.left != 0) return tile.left;
  return tile.listed != 0 ? tile.listed : std::uint64_t{tile.width} * tile.height;
}

/// The most steps that a launch may take. One of a deep pixel counts as many, because it waits for
/// memory, and as more with 106 bits.
inline double most_steps(const TsTile& tile) {
  const double deep_steps = tile.table == 0 ? 20 : 200;
  const std::uint32_t each = tile.cut != 0 ? tile.cut : tile.iterations;
  return static_cast<double>(orbits_of(tile)) * each *
         ((tile.flags & TS_DEEP) != 0 ? deep_steps : 1);
}

/// Number of groups of a launch.
inline std::uint32_t groups_of(const TsTile& tile) {
  if (tile.left != 0 || tile.listed != 0) {
    return static_cast<std::uint32_t>((orbits_of(tile) + TS_GROUP_SIZE - 1) / TS_GROUP_SIZE);
  }
  const std::uint32_t columns = (tile.width + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  const std::uint32_t rows = (tile.height + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  return columns * rows;
}

}  // namespace tessera::kernels
