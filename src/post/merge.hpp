// Merges several files, each with some tiles of an image, into one file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/image/merge_job.hpp"

namespace tessera::post {

struct MergeResult {
  bool found_complete = false;  ///< an earlier merge had finished the image
  std::int64_t tiles = 0;
  std::int64_t found = 0;            ///< tiles that an earlier merge had stored
  std::int64_t again = 0;            ///< tiles in more than one input; the first one is used
  std::vector<std::string> damaged;  ///< a line for each tile that could not be copied
};

/// Checks the bytes of chunks and copies them unchanged. Throws a usage error if the inputs belong
/// to different images or `output` exists. If tiles are missing it fails and leaves the other tiles
/// in `output`.part, which a later merge with the missing inputs, or `render`, completes.
MergeResult merge(const job::MergeJob& job);

}  // namespace tessera::post
