// The picture of a render: checked before the tiles, made after them.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

/// Collective. If the file has counts only, the picture is made of counts. This happens if the
/// picture is requested after the data, or by a job file of an earlier version.
job::RenderJob adapt_to_file(comm::World& world, job::RenderJob job);

/// Finds errors of the picture before the data is rendered. Called on every rank.
void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles);

/// Whether no tile has to be rendered. Called on the gather rank.
bool is_complete(const job::RenderJob& job, const store::FoundImage& before);

/// Collective. Makes the picture of the job, if any, from the complete file. With `may_be_there`,
/// keeps an existing picture. Removes the file if the job keeps the picture alone.
std::vector<report::ThreadReport> make_picture(comm::World& world, const job::RenderJob& job,
                                               bool may_be_there);

}  // namespace tessera::render
