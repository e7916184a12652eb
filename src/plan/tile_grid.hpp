// The tiles of an image, numbered in row-major order; tiles of the last row and column may be
// smaller.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/geometry.hpp"

namespace tessera::plan {

struct TileGrid {
  base::ImageSize size_px;
  std::int64_t tile_px = 512;

  std::int64_t columns() const { return (size_px.width + tile_px - 1) / tile_px; }
  std::int64_t rows() const { return (size_px.height + tile_px - 1) / tile_px; }
  std::int64_t count() const { return columns() * rows(); }
  std::int64_t row_of(std::int64_t tile) const { return tile / columns(); }
  std::int64_t column_of(std::int64_t tile) const { return tile % columns(); }

  /// Extents of a chunk in the file: a tile, but no larger than the image, as HDF5 requires.
  base::ImageSize chunk_px() const {
    return {std::min(tile_px, size_px.width), std::min(tile_px, size_px.height)};
  }

  base::PixelRect rect(std::int64_t tile) const {
    const std::int64_t x = column_of(tile) * tile_px;
    const std::int64_t y = row_of(tile) * tile_px;
    return {x, y, std::min(tile_px, size_px.width - x), std::min(tile_px, size_px.height - y)};
  }
};

}  // namespace tessera::plan
