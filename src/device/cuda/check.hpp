// The checked-call wrapper of this folder.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "device/device_error.hpp"

namespace tessera::device::cuda {

/// CUDA's error text and name.
std::string text_of(cudaError_t code);
/// Whether a later attempt may succeed: too little memory, or the device is in exclusive use.
bool is_busy(cudaError_t code);

/// Whether CUDA documents that every call fails after this error, until the process ends.
bool ends_context(cudaError_t code);

/// Throws the DeviceError of `code`. `work`: the work in flight on the stream, or "".
[[noreturn]] void fail(cudaError_t code, std::string_view call, std::string_view work);

/// Throws a DeviceError with the call's name and CUDA's error text unless `code` is cudaSuccess:
/// ContextLostError if no further call can succeed, DeviceBusyError if is_busy(code). The error of
/// a kernel or of a copy in flight comes from a later call, so the text then names `work`.
inline void check(cudaError_t code, std::string_view call, std::string_view work = {}) {
  if (code != cudaSuccess) fail(code, call, work);
}

}  // namespace tessera::device::cuda
