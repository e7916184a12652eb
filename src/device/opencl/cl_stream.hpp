// gpu::Stream on an OpenCL queue.
#pragma once

#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

std::unique_ptr<gpu::Stream> open_pixel_stream(const std::shared_ptr<const OpenDevice>& device);

}  // namespace tessera::device::opencl
