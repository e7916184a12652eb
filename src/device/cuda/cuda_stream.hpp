// gpu::Stream on a CUDA stream.
#pragma once

#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/pixels/pixel_stream_on.hpp"

namespace tessera::device::cuda {

class CudaStream : public gpu::PixelStreamOn<CudaQueue<gpu::Stream>> {
 public:
  using DeepTables = gpu::DeepTables<Memory>;

  /// Opens device number `device` of this process. The tables are those of the device.
  CudaStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget,
             std::shared_ptr<DeepTables> tables)
      : PixelStreamOn(std::move(tables), device, budget) {}

  void launch(const gpu::Tile& tile) override;
};

}  // namespace tessera::device::cuda
