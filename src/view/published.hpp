// A page of an image that any web server can show: `tessera publish`.
#pragma once

#include <cstdint>
#include <string>

#include "job/image/publish_job.hpp"

namespace tessera::view {

struct Published {
  std::int64_t pictures = 0;
  std::int64_t stored = 0;  ///< different ones; of a folder all
  std::uint64_t bytes = 0;
  std::string tiles;  ///< "tiles" or "image.pmtiles"
};

/// Makes the folder job.output: index.html, its scripts, image.json, and pictures of all scales in
/// the folder `tiles` or the file image.pmtiles. Stops as the run of this thread is asked to.
/// Throws the errors of the image and of NewPage, and file errors; then a page that is there stays.
Published publish(const job::PublishJob& job, int threads);

}  // namespace tessera::view
