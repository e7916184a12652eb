// gpu::Stream on a CUDA stream.
#pragma once

#include "device/cuda/memory.hpp"
#include "device/gpu/stream.hpp"

namespace tessera::device::cuda {

class CudaStream : public gpu::Stream {
 public:
  /// On device number `device` of this process.
  explicit CudaStream(int device);

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override;
  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;
  void wait() override;
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override;
  std::shared_ptr<void> lock_memory(std::span<std::byte> bytes) override;

 private:
  /// The device that is current belongs to the thread; streams are opened in one and used in
  /// others.
  void make_current() const { check(cudaSetDevice(device_), "cudaSetDevice"); }

  int device_;
  WaitableStream stream_;
  std::size_t capacity_ = kLeastBytes;
  DeviceArray<std::byte> pixels_;
  DeviceArray<kernels::TsStats> stats_;
  PinnedBuffer no_pixels_;   ///< what begin_stats() copies
  PinnedBuffer read_slots_;  ///< what read_stats() copies
};

}  // namespace tessera::device::cuda
