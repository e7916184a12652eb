// kernels/pixel/tile.h for C++.
#pragma once

#include <cstdint>

#include "kernels/pixel/formulas.hpp"

namespace tessera::kernels {

using TS_U32 = std::uint32_t;
using TS_U64 = std::uint64_t;

#include "kernels/pixel/tile.h"

inline std::uint32_t blocks_in_row(const TsTile& tile) {
  return (tile.width + TS_BLOCK_COLUMNS - 1) / TS_BLOCK_COLUMNS;
}

/// Sets the pixels of the launch that renders `width` x `height` pixels from (x, y) on.
inline void set_pixels(TsTile& tile, std::int64_t x, std::int64_t y, std::int64_t width,
                       std::int64_t height) {
  tile.x = static_cast<double>(x);
  tile.y = static_cast<double>(y);
  tile.width = static_cast<TS_U32>(width);
  tile.height = static_cast<TS_U32>(height);
  tile.row_reciprocal = 0xFFFFFFFFU / blocks_in_row(tile);
}

/// Orbits that a launch starts or continues.
inline std::uint64_t orbits_of(const TsTile& tile) {
  if (tile.left != 0) return tile.left;
  return tile.listed != 0 ? tile.listed : std::uint64_t{tile.width} * tile.height;
}

/// How many steps of a plain pixel one of a launch counts as. That of a deep pixel waits for
/// memory, and more bits take longer.
inline double weight_of_step(const TsTile& tile) {
  if ((tile.flags & TS_DEEP) != 0) return tile.table == 0 ? 20 : 1000;
  return tile.listed != 0 ? 50 : 1;
}

/// The most steps that a launch may take.
inline double max_steps(const TsTile& tile) {
  const std::uint32_t each = tile.cut != 0 ? tile.cut : tile.iterations;
  return static_cast<double>(orbits_of(tile)) * each * weight_of_step(tile);
}

/// The kernel of its formula that a launch takes.
inline TsRenderKind render_kind_of(const TsTile& tile) {
  if ((tile.flags & TS_BOUNDED) != 0) {
    const bool general = tile.cut != 0 || (tile.flags & TS_MEASURES) != 0;
    if (tile.listed != 0) return general ? TS_RENDER_OF_OPEN_GENERAL : TS_RENDER_OF_OPEN;
    return general ? TS_RENDER_OF_BOUNDED_GENERAL : TS_RENDER_OF_BOUNDED;
  }
  if (tile.cut != 0) return TS_RENDER_CUT;
  switch (tile.flags) {
    case 0:
      return TS_RENDER_COUNTS;
    case TS_SHORTCUTS:
      return TS_RENDER_SHORTCUTS;
    case TS_SHORTCUTS | TS_SMOOTH:
      return TS_RENDER_SMOOTH;
    default:
      return TS_RENDER_GENERAL;
  }
}

/// Number of blocks of a launch.
inline std::uint32_t blocks_of(const TsTile& tile) {
  if (tile.left != 0 || tile.listed != 0) {
    return static_cast<std::uint32_t>((orbits_of(tile) + TS_BLOCK_SIZE - 1) / TS_BLOCK_SIZE);
  }
  return blocks_in_row(tile) * ((tile.height + TS_BLOCK_ROWS - 1) / TS_BLOCK_ROWS);
}

}  // namespace tessera::kernels
