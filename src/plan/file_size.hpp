// Bounds of an image file's size, before any pixel is known.
#pragma once

#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

/// In f64, because the largest possible images take more than 2^64 bytes.
struct FileSizeRange {
  double min_bytes = 0;  ///< every tile has a single value
  double max_bytes = 0;  ///< no tile can be compressed
};

FileSizeRange file_size_range(const job::RenderJob& job, const TileGrid& tiles);

}  // namespace tessera::plan
