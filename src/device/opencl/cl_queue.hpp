// An OpenCL queue with growable device memory: the common part of all gpu::DeviceQueue of this
// backend.
#pragma once

#include "device/gpu/device_queue.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

/// Implements DeviceQueue for a class `Stream` derived from it.
template <class Stream>
class ClQueue : public Stream {
 public:
  /// Allocates `spare_bytes` more than the capacity.
  explicit ClQueue(std::shared_ptr<const OpenDevice> device, std::size_t spare_bytes = 0)
      : queue_(std::move(device)),
        spare_bytes_(spare_bytes),
        memory_(queue_.make_memory(capacity_ + spare_bytes)) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    try {
      memory_ = queue_.make_memory(bytes + spare_bytes_);
    } catch (const DeviceError&) {
      return false;
    }
    capacity_ = bytes;
    return true;
  }
  void wait() override { queue_.wait(); }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return std::make_unique<MappedBuffer>(queue_, bytes);
  }

 protected:
  const CommandQueue& queue() const { return queue_; }
  cl_mem memory() const { return memory_.get(); }

 private:
  CommandQueue queue_;
  std::size_t spare_bytes_;
  std::size_t capacity_ = Stream::kLeastBytes;
  Memory memory_;
};

}  // namespace tessera::device::opencl
