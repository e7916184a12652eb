#include "store/image/header.hpp"

#include <algorithm>

#include "base/version.hpp"
#include "job/fingerprint.hpp"
#include "job/options.hpp"
#include "job/values.hpp"

namespace tessera::store {

ImageHeader make_header(const job::RenderJob& job) {
  ImageHeader header{
      .size_px = job.image.size_px, .tile_px = job.tile_px, .compress = job.compress};
  for (const job::Field field : job.fields) {
    header.fields.emplace_back(field, job::field_type(job.image, field));
  }
  header.attributes = job::describe(job);
  // The job has the size of its picture, the file that of its data.
  std::ranges::find(header.attributes, "size", &std::pair<std::string, std::string>::first)
      ->second = job::format_size(job.image.size_px);
  header.attributes.emplace_back("fingerprint", job::fingerprint(job));
  header.attributes.emplace_back("arithmetic", job::kArithmetic);
  header.attributes.emplace_back("tessera_version", base::version());
  header.attributes.emplace_back("tessera_commit", base::commit());
  return header;
}

}  // namespace tessera::store
