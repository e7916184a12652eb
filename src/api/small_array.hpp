// Arrays in memory that are reduced before threads would be there.
#pragma once

#include <optional>

#include "api/call.hpp"
#include "job/arrays/reduce_job.hpp"
#include "statistics/partial.hpp"
#include "tessera/array.hpp"

namespace tessera::api {

struct SmallResult {
  statistics::ReductionSpec spec;
  statistics::Partial sums;
};

/// Reduces the array on the calling thread if it is in memory, small, and alone, and if the job has
/// operations with partial results only. Nothing otherwise.
std::optional<SmallResult> reduce_here(Context::State& context, const Source& array,
                                       const job::ReduceJob& job);

}  // namespace tessera::api
