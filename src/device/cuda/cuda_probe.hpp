// device::BenchArrays on a CUDA stream.
#pragma once

#include <optional>

#include "device/bench_arrays.hpp"
#include "device/cuda/memory.hpp"

namespace tessera::device::cuda {

class CudaBenchArrays : public BenchArrays {
 public:
  CudaBenchArrays(int device, std::shared_ptr<gpu::MemoryBudget> budget);

  void resize(std::size_t elements) override;
  std::span<double> host() override;
  void copy_to_device() override;
  void copy_from_device() override;
  void add() override;
  double sum() override;

 private:
  WaitableStream stream_;
  StreamMemory memory_;
  std::size_t elements_ = 0;
  DeviceArray<double> a_, b_, c_, partial_;
  std::optional<PinnedBuffer> host_;
};

}  // namespace tessera::device::cuda
