// A job of `tessera map`: expressions of arrays, written to a file. It is a ReduceJob without
// operations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "job/reduce_job.hpp"

namespace tessera::job {

/// Options of `map`, in the order of --help.
std::span<const Option<ReduceJob>> map_options();

/// `expression`: "a + b", or "sum = a + b; difference = a - b" for several arrays in an HDF5 file.
/// Applies `given` in order. Throws a usage error if there is no input or no output, and if the
/// outputs do not fit into the file.
ReduceJob make_map_job(std::string_view expression, std::span<const std::string> inputs,
                       std::span<const Given> given);

}  // namespace tessera::job
