// Identity of a reduction or a map: a run can resume another one's checkpoint only if it agrees.
#pragma once

#include <string>

#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"

namespace tessera::job {

/// Whether an option of a reduction decides the numbers, beside the inputs.
bool decides_numbers(const Option<ReduceJob>& option);

/// One line for each array, with the absolute path of its file, and for each option that decides
/// numbers: operations, axes, policy for NaN. Independent of how the work is done. Throws a usage
/// error if job.with is not a valid INPUT.
std::string identity(const ReduceJob& job);
std::string identity(const MapJob& job);

/// 16 hexadecimal digits over identity() (64-bit FNV-1a).
std::string fingerprint(const ReduceJob& job);

}  // namespace tessera::job
