// An OpenCL queue with growable device memory: the common part of all gpu::DeviceQueue of this
// backend.
#pragma once

#include "device/gpu/queue/device_queue.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

/// Implements DeviceQueue for a class `Stream` derived from it.
template <class Stream>
class ClQueue : public Stream {
 public:
  using Memory = DeviceMemory;

  /// Allocates `spare_bytes` more than the capacity. `more_bytes`: what the derived class allocates
  /// when it is constructed.
  ClQueue(std::shared_ptr<const OpenDevice> device, std::size_t spare_bytes, std::size_t more_bytes)
      : budgeted_(device->budget, capacity_ + spare_bytes + more_bytes),
        queue_(std::move(device)),
        spare_bytes_(spare_bytes),
        memory_(queue_.make_memory(capacity_ + spare_bytes)) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    memory_ = {};  // first, so that the device need not have room for both
    memory_ = queue_.try_make_memory(bytes + spare_bytes_);
    const bool grown = memory_.get() != nullptr;
    if (grown) capacity_ = bytes;
    if (!grown) memory_ = queue_.make_memory(capacity_ + spare_bytes_);
    return grown;
  }
  std::uint64_t peak_memory_bytes() override { return queue_.device().budget->peak_bytes(); }
  void wait() override { queue_.wait(); }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return std::make_unique<MappedBuffer>(queue_, bytes);
  }

 protected:
  const CommandQueue& queue() const { return queue_; }
  const Memory& memory() const { return memory_; }
  Memory make_memory(std::size_t bytes) const { return queue_.make_memory(bytes); }
  Memory try_make_shared(std::size_t bytes) const { return queue_.try_make_memory(bytes); }

  void write(const Memory& to, std::size_t at_byte, std::span<const std::byte> from) {
    queue_.write(to.get(), from, at_byte);
  }
  void read(const Memory& from, std::size_t at_byte, std::span<std::byte> to) {
    queue_.read(from.get(), at_byte, to);
  }
  void set_to_zero(const Memory& memory, std::size_t at_byte, std::size_t bytes) {
    queue_.set_to_zero(memory.get(), at_byte, bytes);
  }

 private:
  std::size_t capacity_ = Stream::kMinBytes;
  gpu::BudgetedStream budgeted_;
  CommandQueue queue_;
  std::size_t spare_bytes_;
  Memory memory_;
};

}  // namespace tessera::device::opencl
