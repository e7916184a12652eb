// Reads the job that made a file from its attributes.
#pragma once

#include <string>

#include "job/image/render_job.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Sets the keys that determine pixels and layout; all other members have their defaults. Throws a
/// usage error that names the file and the attribute that is missing or invalid, or the property of
/// the datasets (size, chunks, fields, types, filters) that contradicts the attributes.
job::RenderJob job_of(const store::ImageReader& reader, const std::string& path);

}  // namespace tessera::post
