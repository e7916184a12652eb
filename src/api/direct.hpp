// Arrays in memory that are reduced before a farm would be there.
#pragma once

#include <optional>
#include <stop_token>

#include "api/call.hpp"
#include "job/arrays/reduce_job.hpp"
#include "statistics/partial.hpp"

namespace tessera::api {

struct DirectResult {
  statistics::ReductionSpec spec;
  statistics::Partial sums;
};

/// Whether the job is of one array in memory as a whole, and of nothing else.
bool is_plain_in_memory(const job::ReduceJob& job);

/// Reduces such an array on the calling thread, and with others if that pays. All operations must
/// have partial results. Throws a base::Error if the run is to stop.
DirectResult reduce_on_cores(const job::ReduceJob& job, device::Device& cores);

/// The same if the array is of this process alone and has at most 64 MiB, and if the operations are
/// cheap. Nothing otherwise.
std::optional<DirectResult> reduce_directly(Context::State& context, const job::ReduceJob& job,
                                            const std::stop_token& stop);

}  // namespace tessera::api
