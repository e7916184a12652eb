// The side of the tiles of a job with --tile auto: one that suits the devices.
#pragma once

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "job/image/render_job.hpp"

namespace tessera::render {

/// Collective. Decides an open tile size. A share takes the default, because all shares need the
/// same size. Pixels do not depend on it.
job::RenderJob with_tile_for(comm::World& world, const binding::Lanes& lanes, job::RenderJob job);

}  // namespace tessera::render
