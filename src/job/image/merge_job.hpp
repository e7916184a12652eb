// A job of `tessera merge`, which merges the files of several `render --share` jobs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

struct MergeJob : RunSpec {
  std::string output;
  std::vector<std::string> inputs;  ///< files of `render --share`, with or without ".part"
  bool overwrite = false;
};

std::span<const Option<MergeJob>> merge_options();

}  // namespace tessera::job
