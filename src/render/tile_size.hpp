// The side of the tiles of a job with --tile auto: that of its file, or what suits the devices.
#pragma once

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "job/image/render_job.hpp"

namespace tessera::render {

/// Collective. Keeps the tile of a file, complete or not, that the job would continue.
job::RenderJob with_tile_of_file(comm::World& world, job::RenderJob job);

/// Collective. Decides what is still open. A share takes the usual tile, because the other shares
/// must have the same. Pixels do not depend on it.
job::RenderJob with_tile_for(comm::World& world, const binding::Lanes& lanes, job::RenderJob job);

}  // namespace tessera::render
