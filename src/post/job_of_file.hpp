// The job that made a file, read back from its attributes.
#pragma once

#include <string>

#include "job/render_job.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// The keys that decide pixels and layout; every other member of the job has its default. Usage
/// error naming the file and the attribute that is missing or is no job's, or what in the datasets
/// (size, chunks, fields, types, filters) is not as the attributes say.
job::RenderJob job_of(const store::ImageReader& reader, const std::string& path);

}  // namespace tessera::post
