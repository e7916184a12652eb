// Decides which tiles of an image belong to one of several independent jobs. Pure.
#pragma once

#include <cstdint>

#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

/// In each row of tiles, or in the whole image, shares differ by at most one tile. Neighbours,
/// which have similar costs, are in different shares. For each number of shares, every tile is in
/// exactly one.
inline bool in_share(const job::Share& share, const TileGrid& tiles, std::int64_t tile) {
  // If the row length is a multiple of the number of shares, each row begins with the next share.
  const std::int64_t shift = tiles.columns() % share.of == 0 ? tiles.row_of(tile) : 0;
  return (tile + shift) % share.of == share.number - 1;
}

}  // namespace tessera::plan
