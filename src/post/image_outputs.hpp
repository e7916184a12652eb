// What can be known to fail about the outputs of an image before a rank starts to work.
#pragma once

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Gather rank: outputs can be written, no other run is writing them, the disk holds the least the
/// file can take, and what is there already is of the same job or may be replaced. Usage errors;
/// missing error if --resume finds nothing. Returns what there is to go on with: nothing if the
/// job says --overwrite.
store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles);

}  // namespace tessera::post
