// gpu::Stream in the device's process.
#pragma once

#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/process/supervisor.hpp"

namespace tessera::device::process {

std::unique_ptr<gpu::Stream> open_remote_stream(std::shared_ptr<Supervisor> supervisor);

}  // namespace tessera::device::process
