// ResidentMemory of CUDA: what cudaMalloc() returned to another library of this process.
#pragma once

#include <cstddef>
#include <memory>

#include "device/resident_memory.hpp"

namespace tessera::device::cuda {

/// The memory at this address, when all that is queued on `stream`, a cudaStream_t, has ended; null
/// = there is nothing to wait for. Throws a usage error if the process sees no GPU, or if none has
/// memory at the address, and DeviceError.
std::unique_ptr<ResidentMemory> resident_at(const std::byte* address, void* stream);

}  // namespace tessera::device::cuda
