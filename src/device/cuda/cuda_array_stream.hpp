// gpu::ArrayStream on a CUDA stream.
#pragma once

#include "base/bytes.hpp"
#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/arrays/stream/array_stream_on.hpp"

namespace tessera::device::cuda {

class CudaArrayStream : public gpu::ArrayStreamOn<CudaQueue<gpu::ArrayStream>> {
 public:
  /// Opens device number `device` of this process.
  CudaArrayStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget);

  void borrow(const std::byte* elements) override { borrowed_ = elements; }
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override;

 protected:
  std::size_t blocks_at_once(kernels::ArrayKernel kernel) const override;
  void start(kernels::ArrayKernel kernel, std::size_t blocks,
             std::span<const kernels::TS_U64> arguments, const MemoryArguments& memory) override;

 private:
  Memory steps_;
  base::Bytes known_steps_;  ///< those in steps_
  const std::byte* borrowed_ = nullptr;
};

}  // namespace tessera::device::cuda
