// Standard output has room for one document.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/run_spec.hpp"

namespace tessera::job {

/// Throws a usage error if more than one of --json, --report and the like, and of `others`, pairs
/// of an option and its path, go to standard output.
void check_standard_output(const RunSpec& job,
                           std::vector<std::pair<std::string, std::string>> others = {});

}  // namespace tessera::job
