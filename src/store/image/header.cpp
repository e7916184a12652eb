#include "store/image/header.hpp"

#include "base/version.hpp"
#include "job/fingerprint.hpp"
#include "job/options.hpp"

namespace tessera::store {

ImageHeader make_header(const job::RenderJob& job) {
  ImageHeader header{
      .size_px = job.image.size_px, .tile_px = job.tile_px, .compress = job.compress};
  for (const job::Field field : job.fields) {
    header.fields.emplace_back(field, job::field_type(job.image, field));
  }
  header.attributes = job::describe(job);
  header.attributes.emplace_back("fingerprint", job::fingerprint(job));
  header.attributes.emplace_back("arithmetic", job::kArithmetic);
  header.attributes.emplace_back("tessera_version", base::version());
  header.attributes.emplace_back("tessera_commit", base::commit());
  return header;
}

}  // namespace tessera::store
