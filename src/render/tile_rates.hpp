// What tiles take, measured: a lane of this rank computes some rows of some of them.
#pragma once

#include <vector>

#include "binding/render_lanes.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::render {

struct TileRates {
  double lane_s = 0;      ///< of one lane for all tiles
  double tile_bytes = 0;  ///< of the file, for a tile, on average
};

/// `costs`: predicted, of every tile.
TileRates measure_tiles(binding::Lanes& lanes, const job::RenderJob& job,
                        const plan::TileGrid& tiles, const std::vector<float>& costs);

}  // namespace tessera::render
