// The launch of the kernel in kernels/cuda/expression.cu. It is asynchronous; cudaGetLastError()
// returns its errors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::kernels {

/// Loads the kernel. cudaSuccess if the current device can run it and has memory for it.
cudaError_t find_map_kernel();

/// `steps` and `memory` are on the device.
void launch_map(const TsMap& call, const TsStep* steps, std::byte* memory, cudaStream_t stream);

}  // namespace tessera::kernels
