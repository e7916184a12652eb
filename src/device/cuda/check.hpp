// The one checked-call wrapper of this folder.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

#include "device/device.hpp"

namespace tessera::device::cuda {

/// Throws DeviceError with the call's name and CUDA's own words unless `code` is cudaSuccess.
inline void check(cudaError_t code, std::string_view call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // what can be forgiven, such as a lack of memory, is forgotten
  throw DeviceError(
      fmt::format("{}: {} ({})", call, cudaGetErrorString(code), cudaGetErrorName(code)));
}

}  // namespace tessera::device::cuda
