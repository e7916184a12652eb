// The image of several files that hold a part of its tiles each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::post {

struct MergeJob {
  std::string output;
  std::vector<std::string> inputs;  ///< files of `render --share`, with or without ".part"
  bool overwrite = false;
  bool quiet = false;
};

struct MergeResult {
  std::int64_t tiles = 0;
  std::int64_t found = 0;            ///< that an earlier merge had stored
  std::int64_t again = 0;            ///< in more than one input; the first one was taken
  std::vector<std::string> damaged;  ///< a line for each tile that could not be taken
};

/// Copies chunks as they are, after checking their bytes. Usage error when the inputs are not of
/// one image or `output` is there already. When tiles are missing it fails, and `output`.part has
/// all others: a merge with the missing inputs goes on with it, and so does `render`.
MergeResult merge(const MergeJob& job);

}  // namespace tessera::post
