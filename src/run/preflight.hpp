// What can be known to fail before a rank starts to work.
#pragma once

#include <string>

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"

namespace tessera::run {

/// The folder of `path` is there and can be written to, and `path` is not a folder. Usage error
/// that starts with `what` otherwise, also when `path` exists and must not be replaced.
void check_output(const std::string& path, const std::string& what, bool may_replace);

/// Gather rank: outputs can be written, no other run is writing them, the disk holds the least the
/// file can take. Usage errors.
void check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles);

}  // namespace tessera::run
