// device::Probe on a CUDA stream.
#pragma once

#include <optional>

#include "device/cuda/memory.hpp"
#include "device/bench_arrays.hpp"

namespace tessera::device::cuda {

class CudaProbe : public Probe {
 public:
  explicit CudaProbe(int device);

  void resize(std::size_t elements) override;
  std::span<double> host() override;
  void copy_to_device() override;
  void copy_from_device() override;
  void add() override;
  double sum() override;

 private:
  WaitableStream stream_;
  std::size_t elements_ = 0;
  DeviceArray<double> a_, b_, c_, partial_;
  std::optional<PinnedBuffer> host_;
};

}  // namespace tessera::device::cuda
