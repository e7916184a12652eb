// The picture of a render: checked before the tiles, made after them.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/picture.hpp"
#include "report/timings.hpp"

namespace tessera::render {

/// Finds errors of the picture before the data is rendered. Called on every rank.
void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles);

/// Collective. Makes the picture of the job, if any, from the complete file, unless `there`, used
/// on the gather rank, is that picture.
std::vector<report::ThreadReport> make_picture(comm::World& world, const job::RenderJob& job,
                                               const store::PictureOnDisk& there);

}  // namespace tessera::render
