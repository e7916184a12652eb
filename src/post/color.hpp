// From a finished HDF5 file to a PNG: every rank colours bands of rows read from the file, the
// gather rank writes them in order. Memory does not grow with the height of the image.
#pragma once

#include <vector>

#include "base/geometry.hpp"
#include "comm/world.hpp"
#include "job/color_job.hpp"
#include "report/timings.hpp"

namespace tessera::post {

struct ColorResult {
  std::vector<report::ThreadReport> threads;  ///< of this rank
  base::ImageSize size_px;                    ///< of the picture
  plan::Repeats repeats;                      ///< of bands; on the gather rank
};

/// Collective. Ranks that cannot read the file (no shared file system) leave the work to the
/// others. Throws base::Error on every rank alike.
ColorResult color_file(comm::World& world, const job::ColorJob& job);

}  // namespace tessera::post
