// gpu::Stream on an OpenCL queue.
#pragma once

#include "device/gpu/stream.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

class ClStream : public gpu::Stream {
 public:
  explicit ClStream(std::shared_ptr<const OpenDevice> device);

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override;
  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;
  void wait() override { queue_.wait(); }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return std::make_unique<MappedBuffer>(queue_, bytes);
  }

 private:
  CommandQueue queue_;
  Kernel render_;
  std::size_t capacity_ = kLeastBytes;
  Memory pixels_;
  gpu::StatsSlots no_pixels_;
  Memory stats_;
};

}  // namespace tessera::device::opencl
