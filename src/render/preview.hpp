// The preview: all ranks sample the image coarsely, and the gather rank predicts the cost of each
// tile.
#pragma once

#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// Collective. Returns the predicted cost of every tile in orbit steps on the gather rank, nothing
/// elsewhere. `done`, used on the gather rank only: true for tiles that need no computing, whose
/// costs are then undefined; empty if all tiles need it. The reports of the threads are merged into
/// `threads`.
std::vector<float> preview_costs(comm::World& world, binding::Lanes& lanes,
                                 const job::ImageSpec& image, const plan::TileGrid& tiles,
                                 const std::vector<bool>& done, const farm::FarmLimits& limits,
                                 bool quiet, std::vector<report::ThreadReport>& threads);

}  // namespace tessera::render
