// A CUDA stream with growable device memory: the common part of all gpu::DeviceQueue of this
// backend.
#pragma once

#include "device/cuda/memory.hpp"
#include "device/gpu/device_queue.hpp"

namespace tessera::device::cuda {

/// Implements DeviceQueue for a class `Stream` derived from it.
template <class Stream>
class CudaQueue : public Stream {
 public:
  /// Uses device number `device` of this process. Allocates `spare_bytes` more than the capacity.
  explicit CudaQueue(int device, std::size_t spare_bytes = 0)
      : device_(set_current_device(device)),
        spare_bytes_(spare_bytes),
        memory_(make_device_array<std::byte>(capacity_ + spare_bytes)) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    make_current();
    DeviceArray<std::byte> larger = try_device_array(bytes + spare_bytes_);
    if (!larger) return false;
    memory_ = std::move(larger);
    capacity_ = bytes;
    return true;
  }
  void wait() override {
    make_current();
    stream_.wait();
  }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    make_current();
    return std::make_unique<PinnedBuffer>(bytes);
  }
  std::shared_ptr<void> lock_memory(std::span<std::byte> bytes) override {
    make_current();
    return cuda::lock_memory(bytes);
  }

 protected:
  /// The current device is a property of the thread, and a stream may be used by another thread
  /// than the one that opened it.
  void make_current() const { set_current_device(device_); }
  std::byte* memory() const { return memory_.get(); }
  const WaitableStream& stream() const { return stream_; }

 private:
  int device_;
  WaitableStream stream_;
  std::size_t spare_bytes_;
  std::size_t capacity_ = Stream::kLeastBytes;
  DeviceArray<std::byte> memory_;
};

}  // namespace tessera::device::cuda
