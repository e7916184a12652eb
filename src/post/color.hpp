// From a finished HDF5 file to a PNG: every rank colours bands of rows read from the file, the
// gather rank writes them in order. Memory does not grow with the height of the image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::post {

struct ColorJob {
  std::string input;                 ///< HDF5 file
  std::string output;                ///< PNG file
  std::string palette = "twilight";  ///< name or file
  std::string field;                 ///< "iterations", "smooth" or "" = smooth where there is one
  std::optional<base::PixelRect> region;  ///< of the image; all of it if not given
  int scale = 1;                          ///< this many image pixels each way become one, averaged
  int threads = 0;                        ///< per rank; 0 = all that the affinity mask gives
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< bound per rank
  bool overwrite = false;                               ///< `output` may be replaced
  bool quiet = false;
  std::string report;  ///< JSON file, "" = none
  std::string trace;   ///< Chrome trace file, "" = none
};

struct ColorResult {
  std::vector<report::ThreadReport> threads;  ///< of this rank
  base::ImageSize size_px;                    ///< of the picture
  plan::Repeats repeats;                      ///< of bands; on the gather rank
};

/// Collective. Ranks that cannot read the file (no shared file system) leave the work to the
/// others. Throws base::Error on every rank alike.
ColorResult color_file(comm::World& world, const ColorJob& job);

}  // namespace tessera::post
