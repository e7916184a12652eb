// The files that a reduction writes, against those that it reads.
#pragma once

#include <vector>

#include "job/reduce_job.hpp"

namespace tessera::reduce {

/// INPUT and --with.
std::vector<job::ArrayInput> inputs_of(const job::ReduceJob& job);

/// On the gather rank, before any work: --report and --checkpoint-file can be written, and nothing
/// that is written is another such file or one of the arrays, of which * may stand for several.
/// Usage errors; missing error if nothing matches a *.
void check_reduce_files(const job::ReduceJob& job);

}  // namespace tessera::reduce
