// gpu::ArrayStream on a CUDA stream.
#pragma once

#include <memory>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/gpu/queue/memory_budget.hpp"

namespace tessera::device::cuda {

/// Opens device number `device` of this process.
std::unique_ptr<gpu::ArrayStream> open_array_stream(
    int device, const std::shared_ptr<gpu::MemoryBudget>& budget);

}  // namespace tessera::device::cuda
