// A job of `tessera publish`, which makes a page of a rendered file for any web server.
#pragma once

#include <span>
#include <string>

#include "job/image/color_job.hpp"

namespace tessera::job {

struct PublishJob : ColorJob {
  enum class Tiles { chosen, folder, file };
  Tiles tiles = Tiles::chosen;
  std::string cache;  ///< folder for smaller scales that cannot lie beside the image; "" = none
};

std::span<const Option<PublishJob>> publish_options();

}  // namespace tessera::job
