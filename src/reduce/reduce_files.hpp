// Checks that a reduction does not overwrite its inputs or its own outputs.
#pragma once

#include <string>

#include "reduce/job_facts.hpp"
#include "store/image/image_file.hpp"

namespace tessera::reduce {

/// The attributes of a file with results; `format` names its layout.
store::Attributes result_attributes(const job::ReduceJob& job, const std::string& format);
store::Attributes result_attributes(const job::MapJob& job, const std::string& format);

/// Called on the gather rank before any work. Checks that --report, --trace and --checkpoint-file
/// can be written and that no written file is another written file or an input; a * in an input is
/// expanded. Throws a usage error, or a missing error if nothing matches a *.
void check_reduce_files(const job::ArrayJob& job, const JobFacts& facts);

}  // namespace tessera::reduce
