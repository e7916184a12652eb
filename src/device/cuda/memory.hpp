// Owners of CUDA objects. A thread must call cudaSetDevice for the device before it uses one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/cuda/check.hpp"

namespace tessera::device::cuda {

struct FreeDeviceMemory {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], FreeDeviceMemory>;

/// Throws DeviceError if the device has too little memory.
template <class T>
DeviceArray<T> make_device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return DeviceArray<T>(static_cast<T*>(memory));
}

/// Null if the device has too little memory.
DeviceArray<std::byte> try_device_array(std::size_t bytes);

/// Makes `device` the current one of this thread and returns it.
int set_current_device(int device);

struct DestroyStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using OwnedStream = std::unique_ptr<CUstream_st, DestroyStream>;

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using OwnedEvent = std::unique_ptr<CUevent_st, DestroyEvent>;

/// A CUDA stream, and an event on which a thread can sleep until the stream is empty
/// (cudaStreamSynchronize spins).
class WaitableStream {
 public:
  WaitableStream();
  cudaStream_t get() const { return stream_.get(); }
  void wait() const;

 private:
  OwnedStream stream_;
  OwnedEvent done_;
};

/// Page-locked host memory.
class PinnedBuffer : public HostBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  std::span<std::byte> bytes() override { return {memory_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t bytes_;
};

/// Page-locks existing memory as long as the returned object lives; null if that fails. The device
/// must be current.
std::shared_ptr<void> lock_memory(std::span<std::byte> bytes);

}  // namespace tessera::device::cuda
