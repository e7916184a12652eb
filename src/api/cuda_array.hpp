// Arrays in the memory of a GPU that another library of this process has made.
#pragma once

#include <memory>

#include "api/names.hpp"
#include "job/arrays/array_in_memory.hpp"

namespace tessera::api {

/// Reads boxes by copying them. `stream`: see Source::cuda(). Throws a base::Error.
std::shared_ptr<const job::ArrayReader> open_cuda_array(const ArrayView& view, void* stream,
                                                        std::shared_ptr<const void> owner);

}  // namespace tessera::api
