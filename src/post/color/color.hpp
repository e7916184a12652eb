// Makes a PNG file of a finished HDF5 file: all ranks read and colour bands of rows, and the gather
// rank writes them in order. Memory does not grow with the height of the image.
#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.hpp"
#include "comm/world.hpp"
#include "job/image/color_job.hpp"
#include "report/timings.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

struct ColorResult {
  std::vector<report::ThreadReport> threads;  ///< threads of this rank
  base::ImageSize size_px;                    ///< size of the picture
  std::uint64_t output_bytes = 0;             ///< on the gather rank only
  plan::Repeats repeats;                      ///< repeated bands; on the gather rank only
};

/// Collective. Ranks that cannot read the file (no shared file system) do no work. Throws the same
/// base::Error on every rank.
ColorResult color_file(comm::World& world, job::ColorJob job);
/// The same, but `take` gets the picture on the gather rank, and job.output is only a name.
ColorResult color_into(const store::PictureTarget::Take& take, comm::World& world,
                       job::ColorJob job);

}  // namespace tessera::post
