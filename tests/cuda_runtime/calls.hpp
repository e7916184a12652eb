// What all functions of the API have in common.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>

#include "streams.hpp"

struct CUstream_st {
  std::shared_ptr<cuda_runtime::Stream> stream;
};

namespace cuda_runtime {

/// The devices that CUDA_VISIBLE_DEVICES shows, in its order.
std::span<const int> visible_devices();
/// cudaSuccess, or why this process has no device.
cudaError_t why_no_device();
/// Of the calling thread.
Device& current_device();
void set_current_device(int number);

/// Keeps an error for cudaGetLastError(), and returns it.
cudaError_t remember(cudaError_t code);
cudaError_t last_error();
void clear_last_error();

/// Counts a call and applies the fault rules.
cudaError_t fault_of(const char* name);

/// A call that uses no device.
template <class Body>
cudaError_t plain_call(const char* name, Body body) {
  const cudaError_t code = fault_of(name);
  return remember(code == cudaSuccess ? body() : code);
}

/// A call that uses the current device. A driver ends what is in flight before it says that the
/// context is lost, so this waits for it.
template <class Body>
cudaError_t device_call(const char* name, Body body) {
  return plain_call(name, [&]() -> cudaError_t {
    if (const cudaError_t code = why_no_device(); code != cudaSuccess) return code;
    const cudaError_t code = current_device().lost() == cudaSuccess ? body() : cudaSuccess;
    return current_device().lost() == cudaSuccess ? code : wait_for_all(current_device());
  });
}

/// Reports a stream of another device than the current one.
Stream& stream_of(cudaStream_t stream, const char* use);

}  // namespace cuda_runtime
