// device::BenchArrays on an OpenCL queue.
#pragma once

#include "device/bench_arrays.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

class ClBenchArrays : public BenchArrays {
 public:
  explicit ClBenchArrays(std::shared_ptr<const OpenDevice> device);

  void resize(std::size_t elements) override;
  std::span<double> host() override;
  void copy_to_device() override;
  void copy_from_device() override;
  void add() override;
  double sum() override;

 private:
  CommandQueue queue_;
  Kernel fill_, add_, sum_;
  cl_ulong elements_ = 0;
  DeviceMemory a_, b_, c_, partial_;
  std::unique_ptr<MappedBuffer> host_;
};

}  // namespace tessera::device::opencl
