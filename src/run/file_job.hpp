// The job that made a file, read back from its attributes.
#pragma once

#include <string>

#include "job/render_job.hpp"
#include "store/image_file.hpp"

namespace tessera::run {

/// Usage error naming the file and the attribute if the attributes are not a job's.
job::RenderJob job_of(const store::ImageReader& reader, const std::string& path);

}  // namespace tessera::run
