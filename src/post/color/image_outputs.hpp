// Checks of the output files of a render, made before any work.
#pragma once

#include <string>

#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Called on the gather rank. Checks that the outputs can be written, that no other run writes
/// them, that the disk has room for the smallest possible file, and that an existing file belongs
/// to the same job or may be replaced. Throws usage errors, or a missing error if --resume finds
/// nothing; `what` is the name of the output in messages. Returns the file to resume from; none
/// if the job has --overwrite.
store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles,
                                       const std::string& what = "--output");

/// True if the job has smooth values by default only, and its file, complete or not, is the same
/// image without them. Called on the gather rank.
bool has_counts_only(job::RenderJob job);

/// The tile size of an existing output file that the job can resume or keep; 0 = none. Called on
/// the gather rank.
int tile_of_output(job::RenderJob job);

}  // namespace tessera::post
