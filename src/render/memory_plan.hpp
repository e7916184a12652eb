// The memory that a render needs on each rank, checked against --memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binding/render_lanes.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::render {

struct MemoryPlan {
  std::uint64_t program_bytes = 0;  ///< libraries, kernels' scratch memory, file caches
  std::uint64_t lanes_bytes = 0;    ///< tiles under computation and their encoders
  std::uint64_t tables_bytes = 0;   ///< schedule and tile table; gather rank only
  std::uint64_t queue_bytes = 0;    ///< encoded tiles in the queues between threads and ranks

  std::uint64_t reference_bytes = 0;  ///< reference orbit and table of a deep image
  std::uint64_t uncertain_bytes = 0;  ///< tables for its uncertain pixels, as far as there is room
  std::uint64_t all_uncertain_bytes = 0;  ///< all of them
  /// Uncertain pixels end the run for lack of room.
  bool stops_at_uncertain = false;

  std::uint64_t total_bytes() const {
    return program_bytes + lanes_bytes + tables_bytes + queue_bytes + reference_bytes +
           uncertain_bytes;
  }
};

// Both functions need the prepared image of a job with perturbation (render/reference.hpp).

/// The largest tile that `--tile auto` may take within --memory; 0 if not even the usual one fits.
int largest_tile_px(const job::RenderJob& job, int lanes, bool gather_rank);

/// Throws a usage error if the job does not fit (it names --memory and values that would fit) or if
/// the image has too many tiles (it names --tile). From then on, the tables for uncertain pixels
/// take no more than planned.
MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles, int lanes,
                       bool gather_rank);

/// The same for all lanes that may work. A device that joins is refused if there is no room for its
/// lanes.
MemoryPlan plan_memory(const job::RenderJob& job, const plan::TileGrid& tiles,
                       binding::Lanes& lanes, bool gather_rank);

/// Upper bound of the memory of a device that a render takes.
struct DeviceMemoryPlan {
  std::string device;
  int lanes = 0;
  std::uint64_t bytes = 0;        ///< with the table
  std::uint64_t table_bytes = 0;  ///< table of a deep image
};

/// For the open devices with memory of their own. Throws a usage error if --device-memory is too
/// little for a deep image.
std::vector<DeviceMemoryPlan> plan_device_memory(const job::RenderJob& job,
                                                 const plan::TileGrid& tiles,
                                                 const binding::Lanes& lanes);

}  // namespace tessera::render
