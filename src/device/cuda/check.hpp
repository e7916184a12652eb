// The checked-call wrapper of this folder.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

#include "device/device.hpp"

namespace tessera::device::cuda {

/// Throws DeviceError with the call's name and CUDA's error text unless `code` is cudaSuccess.
inline void check(cudaError_t code, std::string_view call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears an error from which the caller may recover, such as too little
                       // memory
  throw DeviceError(
      fmt::format("{}: {} ({})", call, cudaGetErrorString(code), cudaGetErrorName(code)));
}

}  // namespace tessera::device::cuda
