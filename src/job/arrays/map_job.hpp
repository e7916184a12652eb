// A job of `tessera map`: expressions of arrays, written to a file. It is a ReduceJob without
// operations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "job/arrays/reduce_job.hpp"

namespace tessera::job {

/// Options of `map`, in the order of --help.
std::span<const Option<ReduceJob>> map_options();

/// `expression`: "a + b", or "sum = a + b; difference = a - b" for several arrays. `arguments`:
/// further expressions, whose names are those of outputs, then the inputs. Applies `given` in
/// order. Throws a usage error if there is no input or no output, and if the outputs do not fit
/// the expressions.
ReduceJob make_map_job(std::string_view expression, std::span<const std::string> arguments,
                       std::span<const Given> given);

}  // namespace tessera::job
