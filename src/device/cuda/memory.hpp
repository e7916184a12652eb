// Owners of CUDA objects. A thread must call cudaSetDevice for the device before it uses one; their
// destructors do so themselves.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/cuda/check.hpp"
#include "device/device.hpp"
#include "device/gpu/queue/memory_budget.hpp"

namespace tessera::device::cuda {

struct FreeDeviceMemory {
  int device = 0;
  /// The stream in whose order pooled memory is freed.
  cudaStream_t stream = nullptr;
  bool pooled = false;
  std::shared_ptr<gpu::MemoryBudget> budget = nullptr;
  std::size_t bytes = 0;
  void operator()(void* memory) const;
};
template <class T>
using DeviceArray = std::unique_ptr<T[], FreeDeviceMemory>;

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
  /// Makes `device` the current one.
  explicit WaitableStream(int device);
  int device() const { return device_; }
  cudaStream_t get() const { return stream_.get(); }
  /// After an error, no copy is in flight either. `work`: as for check().
  void wait(std::string_view work = {}) const;
  /// Waits without an error.
  void settle() const noexcept;

 private:
  int device_;
  OwnedStream stream_;
  OwnedEvent done_;
};

/// Allocates the device memory that one stream uses. If the device has memory pools, allocating and
/// freeing does not wait for other streams, as cudaFree does. The stream must outlive the arrays.
/// Everything is taken from `budget`.
class StreamMemory {
 public:
  /// The stream's device must be current.
  StreamMemory(const WaitableStream& stream, std::shared_ptr<gpu::MemoryBudget> budget);

  /// Throws DeviceBusyError if the device has too little memory, or as MemoryBudget::take().
  template <class T>
  DeviceArray<T> make(std::size_t count) const {
    const std::size_t bytes = count * sizeof(T);
    free_.budget->take(bytes);
    void* memory = nullptr;
    check(allocate(memory, bytes), kCall);
    return DeviceArray<T>(static_cast<T*>(memory), freeing(bytes));
  }
  /// Null if the device or the budget has too little memory.
  DeviceArray<std::byte> try_make(std::size_t bytes) const;
  std::uint64_t peak_bytes() const { return free_.budget->peak_bytes(); }

 private:
  static constexpr std::string_view kCall = "allocation of device memory";
  /// Gives the bytes back to the budget if it fails.
  cudaError_t allocate(void*& memory, std::size_t bytes) const;
  FreeDeviceMemory freeing(std::size_t bytes) const;

  FreeDeviceMemory free_;
};

/// Memory of the current device that any of its streams may use. Null if the device or the budget
/// has too little.
DeviceArray<std::byte> try_make_shared(int device, const std::shared_ptr<gpu::MemoryBudget>& budget,
                                       std::size_t bytes);

/// Page-locked host memory; ordinary memory if CUDA refuses, with which copies are slower.
class PinnedBuffer : public HostBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<std::byte> ordinary_;
  std::span<std::byte> bytes_;
};

/// Host memory for the copies of one stream. It is not freed while one of them is in flight.
class StreamBuffer : public HostBuffer {
 public:
  StreamBuffer(std::shared_ptr<const WaitableStream> stream, std::size_t bytes)
      : stream_(std::move(stream)), memory_(bytes) {}
  ~StreamBuffer() override { stream_->settle(); }
  StreamBuffer(const StreamBuffer&) = delete;
  StreamBuffer& operator=(const StreamBuffer&) = delete;
  std::span<std::byte> bytes() override { return memory_.bytes(); }

 private:
  std::shared_ptr<const WaitableStream> stream_;
  PinnedBuffer memory_;
};

/// Page-locks existing memory as long as the returned object lives; null if that fails. The device
/// must be current. `stream` is awaited before the lock is released.
std::shared_ptr<void> lock_memory(std::shared_ptr<const WaitableStream> stream,
                                  std::span<std::byte> bytes);

}  // namespace tessera::device::cuda
