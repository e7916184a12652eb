// Arrays in memory that are reduced before a farm would be there.
#pragma once

#include <functional>
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

using OpenCores = std::function<device::Device&()>;

/// Reduces such an array: by the GPU that has it, else on the calling thread, and with others if
/// that pays. All operations must have partial results. Throws a base::Error if the run is to stop.
DirectResult reduce_here(Context::State& context, const job::ReduceJob& job,
                         const OpenCores& open_cores);

/// Whether the array is of this process alone, and the operations have partial results that are
/// cheap: no farm is needed for it.
bool is_direct(const Settings& settings, const job::ReduceJob& job);

/// reduce_here() of such a job, within a call.
DirectResult reduce_watched(Context::State& context, const job::ReduceJob& job);

/// The same outside of a call, without progress. Nothing for more than 64 MiB, and for other jobs.
std::optional<DirectResult> reduce_directly(Context::State& context, const job::ReduceJob& job,
                                            const std::stop_token& stop);

}  // namespace tessera::api
