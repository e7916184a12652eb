// Which tiles of an image belong to one of several independent jobs. Pure.
#pragma once

#include <cstdint>

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

/// Shares differ by at most a tile in a row of tiles, or in the whole image, and neighbours, which
/// cost alike, are in different ones. Every tile is in exactly one of the shares of a count.
inline bool in_share(const job::Share& share, const TileGrid& tiles, std::int64_t tile) {
  // Where rows are so long that all would begin with the same share, each begins with the next.
  const std::int64_t shift = tiles.columns() % share.of == 0 ? tiles.row_of(tile) : 0;
  return (tile + shift) % share.of == share.number - 1;
}

}  // namespace tessera::plan
