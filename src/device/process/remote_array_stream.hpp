// gpu::ArrayStream in the device's process.
#pragma once

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/process/supervisor.hpp"

namespace tessera::device::process {

std::unique_ptr<gpu::ArrayStream> open_remote_array_stream(std::shared_ptr<Supervisor> supervisor);

}  // namespace tessera::device::process
