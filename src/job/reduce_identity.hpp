// Identity of a reduction: what must agree for one run to go on with what another has so far.
#pragma once

#include <string>

#include "job/reduce_job.hpp"

namespace tessera::job {

/// A line each of the arrays, with the absolute paths of their files, and of what decides numbers:
/// operations, axes, policy for NaN. Nothing of how the work is done. Usage error if job.with is no
/// INPUT.
std::string identity(const ReduceJob& job);

/// 16 hexadecimal digits over that (64-bit FNV-1a).
std::string fingerprint(const ReduceJob& job);

}  // namespace tessera::job
