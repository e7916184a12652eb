// Reads the job that made a file from its attributes.
#pragma once

#include <string>
#include <tuple>

#include "job/image/render_job.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// What the attributes of a file tell of its job beside the keys that determine pixels and layout.
struct Provenance {
  std::string view, from, region, defaults;
  int of_frames = 0;

  static auto members(auto& self) {
    return std::tie(self.view, self.from, self.region, self.defaults, self.of_frames);
  }
};
/// They decide nothing, so they are taken as they are; a number of images that is none is 0.
Provenance provenance_of(const store::ImageReader& reader);
void set_provenance(job::RenderJob& job, const Provenance& provenance);

/// Sets the keys that determine pixels and layout, and the provenance; all other members have their
/// defaults. Throws a usage error that names the file and the attribute that is missing or invalid,
/// or the property of the datasets (size, chunks, fields, types, filters) that contradicts the
/// attributes.
job::RenderJob job_of(const store::ImageReader& reader, const std::string& path);

}  // namespace tessera::post
