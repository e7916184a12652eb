// What a render needs in memory on each rank, and how the rest of --memory is shared out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::render {

struct MemoryPlan {
  std::uint64_t program_bytes = 0;  ///< libraries, kernels' scratch, the file's caches
  std::uint64_t lanes_bytes = 0;    ///< tiles in the making and their encoders
  std::uint64_t tables_bytes = 0;   ///< schedule and tile table; gather rank only
  std::uint64_t queue_bytes = 0;    ///< encoded tiles on their way

  std::uint64_t total_bytes() const {
    return program_bytes + lanes_bytes + tables_bytes + queue_bytes;
  }
};

/// Usage error naming --memory, and what would do, when the job does not fit; naming --tile where
/// an image has too many tiles.
MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles, int lanes,
                       bool gather_rank);

}  // namespace tessera::render
