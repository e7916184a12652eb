// Checks that a reduction does not overwrite its inputs or its own outputs.
#pragma once

#include <vector>

#include "job/reduce_job.hpp"

namespace tessera::reduce {

/// The arrays of INPUT and --with.
std::vector<job::ArrayInput> inputs_of(const job::ReduceJob& job);

/// Called on the gather rank before any work. Checks that --report, --trace and --checkpoint-file
/// can be written and that no written file is another written file or an input; a * in an input is
/// expanded. Throws a usage error, or a missing error if nothing matches a *.
void check_reduce_files(const job::ReduceJob& job);

}  // namespace tessera::reduce
