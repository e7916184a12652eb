// How large the file can get, before a pixel is known.
#pragma once

#include <cstdint>

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::plan {

struct FileSizeRange {
  std::uint64_t least_bytes = 0;  ///< every tile of one value
  std::uint64_t most_bytes = 0;   ///< no tile shrinks
};

FileSizeRange file_size_range(const job::RenderJob& job, const TileGrid& tiles);

}  // namespace tessera::plan
