// What tiles take, measured: a lane of this rank computes some rows of some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
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

/// Collective. How many ranks may write the image: one a node, none without a row of tiles.
std::int64_t most_writers(comm::World& world, const job::RenderJob& job,
                          const plan::TileGrid& tiles);

/// Collective. As many as keep up with the workers, 1 to `most`. `costs`, as above, are used on the
/// gather rank.
int writers_that_keep_up(comm::World& world, binding::Lanes& lanes, const job::RenderJob& job,
                         const plan::TileGrid& tiles, const std::vector<float>& costs,
                         std::int64_t most);

}  // namespace tessera::render
