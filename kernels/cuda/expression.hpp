// The launch of the kernel in kernels/cuda/expression.cu. It is asynchronous; cudaGetLastError()
// returns its errors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::kernels {

/// `steps` and `memory` are on the device.
void launch_map(const TsMap& call, const TsStep* steps, std::byte* memory, cudaStream_t stream);

}  // namespace tessera::kernels
