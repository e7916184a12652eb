// The picture of a render: checked before the tiles, made after them.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

/// Collective. A picture that was asked for after the data, or by a job file of an earlier version,
/// is made of counts, if they are what the file has.
job::RenderJob adapt_to_file(comm::World& world, job::RenderJob job);

/// Finds errors of the picture before the data is rendered. Called on every rank.
void check_picture(const job::RenderJob& job, const plan::TileGrid& tiles);

/// Whether no tile has to be rendered. Called on the gather rank.
bool is_complete(const job::RenderJob& job, const store::FoundImage& before);

/// Collective. Makes the picture, if the job has one, from the complete file; not if it is there
/// and `may_be_there`. Removes the file of a picture alone.
std::vector<report::ThreadReport> make_picture(comm::World& world, const job::RenderJob& job,
                                               bool may_be_there);

}  // namespace tessera::render
