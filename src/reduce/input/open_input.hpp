// The array of a job, read or made.
#pragma once

#include <memory>
#include <span>

#include "job/reduce_job.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// What of a slice is in memory at once: large enough for the disk, small enough to be still in the
/// cache when it is reduced.
std::int64_t piece_bytes(const job::ReduceJob& job);

/// As store::open_arrays(); what is made is an array alone. `piece_bytes`: of a piece, where that
/// is free.
std::unique_ptr<store::ArraySource> open_input(std::span<const job::ArrayInput> inputs,
                                               std::int64_t piece_bytes);

}  // namespace tessera::reduce
