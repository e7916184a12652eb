// Arrays in memory that are reduced before a farm would be there.
#pragma once

#include <optional>
#include <stop_token>

#include "api/call.hpp"
#include "job/arrays/reduce_job.hpp"
#include "statistics/partial.hpp"
#include "tessera/array.hpp"

namespace tessera::api {

struct DirectResult {
  statistics::ReductionSpec spec;
  statistics::Partial sums;
};

/// Reduces the array on the calling thread, and with others if that pays, if it is in memory of
/// this process alone, has at most 64 MiB, and all operations have partial results that are cheap.
/// Nothing otherwise. Throws Error with Code::stopped.
std::optional<DirectResult> reduce_directly(Context::State& context, const Source& array,
                                            const job::ReduceJob& job, const std::stop_token& stop);

}  // namespace tessera::api
