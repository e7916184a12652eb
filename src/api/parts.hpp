// Arrays in the memory of several ranks: each rank has a part of the whole.
#pragma once

#include <span>

#include "api/call.hpp"
#include "job/arrays/reduce_job.hpp"
#include "run/context.hpp"

namespace tessera::api {

/// Whether the array of the job is in the memory of this rank. Throws a usage error if the job has
/// such an array and is not reduce_parts()'s.
bool is_of_parts(const job::ReduceJob& job);

/// Throws a usage error if one of them is in the memory of this rank: other ranks do not see its
/// elements.
void check_in_files(std::span<const job::ArrayInput> inputs);

/// Collective. Whether `mine` is true. Throws a usage error if it differs.
bool all_or_none(comm::World& world, bool mine);

/// Collective. Reduces the parts of all ranks, one behind the other. Results are on rank 0.
Results reduce_parts(Context::State& caller, run::Context& context, const job::ReduceJob& job);

}  // namespace tessera::api
