// gpu::Stream on a CUDA stream.
#pragma once

#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/pixel_stream.hpp"

namespace tessera::device::cuda {

class CudaStream : public CudaQueue<gpu::Stream> {
 public:
  /// Opens device number `device` of this process.
  CudaStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget);

  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;

 private:
  DeviceArray<kernels::TsStats> stats_;
  std::unique_ptr<StreamBuffer> no_pixels_;   ///< page-locked source of begin_stats()
  std::unique_ptr<StreamBuffer> read_slots_;  ///< page-locked destination of read_stats()
};

}  // namespace tessera::device::cuda
