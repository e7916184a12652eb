// How large the file can get, before a pixel is known.
#pragma once

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

/// In f64: the largest images that can be asked for take more than 2^64 bytes.
struct FileSizeRange {
  double least_bytes = 0;  ///< every tile of one value
  double most_bytes = 0;   ///< no tile shrinks
};

FileSizeRange file_size_range(const job::RenderJob& job, const TileGrid& tiles);

}  // namespace tessera::plan
