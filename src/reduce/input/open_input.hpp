// Opens the input array of a job, stored or generated.
#pragma once

#include <memory>
#include <span>

#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/input/element_rule.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Bytes of a slice that are in memory at a time: large enough for efficient reads, small enough to
/// be in the cache when they are reduced.
std::int64_t piece_bytes(const job::ArrayJob& job);

/// Opens the inputs of the job as one array, or their expression of --map.
std::unique_ptr<store::ArraySource> open_source(const job::ArrayJob& job, std::int64_t piece_bytes);

/// Opens the expressions of the job: a MappedSource.
std::unique_ptr<store::ArraySource> open_mapped(const job::MapJob& job, std::int64_t piece_bytes);

/// Opens the array of --with, divided into the same pieces as `x` if possible. Throws a usage error
/// if its shape differs from that of `x`.
std::unique_ptr<store::ArraySource> open_second(const job::ReduceJob& job,
                                                const store::ArraySource& x);

/// Same as store::open_arrays(), but also opens a generated array, which cannot be joined with
/// others. `piece_bytes`: bytes of a piece, if the storage does not determine it. Elements are
/// decoded as each input says; see store::ArrayInfo::missing for those that are no elements.
std::unique_ptr<store::ArraySource> open_input(std::span<const job::ArrayInput> inputs,
                                               std::int64_t piece_bytes, MissingAs missing);

}  // namespace tessera::reduce
