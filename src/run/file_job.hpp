// The job that made a file, read back from its attributes.
#pragma once

#include "job/render_job.hpp"
#include "store/image_file.hpp"

namespace tessera::run {

/// Usage error naming the attribute if the file's attributes are not a job's.
job::RenderJob job_of(const store::ImageReader& reader);

}  // namespace tessera::run
