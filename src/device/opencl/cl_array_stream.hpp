// gpu::ArrayStream on an OpenCL queue.
#pragma once

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

std::unique_ptr<gpu::ArrayStream> open_array_stream(
    const std::shared_ptr<const OpenDevice>& device);

}  // namespace tessera::device::opencl
