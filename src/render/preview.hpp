// The preview: all ranks sample the image coarsely; the gather rank predicts what each tile costs.
#pragma once

#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// Predicted cost of every tile in orbit steps, on the gather rank; empty elsewhere. Collective.
/// `done`, on the gather rank: tiles that are not asked for, whose costs then mean nothing; empty
/// if all are. What the threads did is appended to `threads`.
std::vector<float> preview_costs(comm::World& world, binding::Lanes& lanes,
                                 const job::ImageSpec& image, const plan::TileGrid& tiles,
                                 const std::vector<bool>& done, const farm::FarmLimits& limits,
                                 std::vector<report::ThreadReport>& threads);

}  // namespace tessera::render
