// Makes an image's header from a render job.
#pragma once

#include "job/render_job.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

ImageHeader make_header(const job::RenderJob& job);

}  // namespace tessera::store
