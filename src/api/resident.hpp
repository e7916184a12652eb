// Arrays in the memory of a GPU, which reduces them where they are.
#pragma once

#include <optional>

#include "api/call.hpp"
#include "job/arrays/reduce_job.hpp"
#include "statistics/partial.hpp"

namespace tessera::api {

/// The elements, if the GPU that has them can reduce them for this job, which is of one array as a
/// whole, and if the caller's --device does not say that another one must.
std::optional<job::InDeviceMemory> resident_elements(const Settings& settings,
                                                     const job::ReduceJob& job);

/// Reduces them. Nothing if this build cannot use the GPU, or if it has no memory left: the caller
/// of the library may have taken all. Throws a base::Error if the GPU fails.
std::optional<statistics::Partial> reduce_resident(Context::State& context,
                                                   const job::InDeviceMemory& elements,
                                                   const statistics::ReductionSpec& spec);

}  // namespace tessera::api
