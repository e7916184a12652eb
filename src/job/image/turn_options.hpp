// The options that turn, stretch or mirror a picture.
#pragma once

#include <vector>

#include "job/image/options.hpp"

namespace tessera::job {

/// The first one is the matrix; the others are applied to it (make_render_job()).
std::vector<Option<RenderJob>> turn_options();

}  // namespace tessera::job
