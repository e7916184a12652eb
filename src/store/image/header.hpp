// Makes an image's header from a render job.
#pragma once

#include <string>

#include "job/image/options.hpp"
#include "job/image/render_job.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

ImageHeader make_header(const job::RenderJob& job);

/// The type that a file has for a value of the job.
Attribute::Type type_of(job::Kind kind);

/// The attribute with all digits of a number as they were given.
inline std::string exact_key(const std::string& name) {
  return name + "_text";
}

}  // namespace tessera::store
