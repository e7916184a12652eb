// gpu::ArrayStream on an OpenCL queue.
#pragma once

#include <map>
#include <vector>

#include "device/gpu/array_stream.hpp"
#include "device/opencl/cl_queue.hpp"

namespace tessera::device::opencl {

class ClArrayStream : public ClQueue<gpu::ArrayStream> {
 public:
  explicit ClArrayStream(const std::shared_ptr<const OpenDevice>& device);

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    queue().write(memory(), elements, at_byte);
  }
  void make(const kernels::TsMake& make) override;
  void set_bins(std::span<const double> edges, std::size_t outputs) override;
  void set_logarithms(std::span<const kernels::TS_U64> words) override;
  void set_cells(std::size_t cells, std::size_t limbs) override;
  void launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
              std::size_t bytes) override;
  void launch_along_axes(const kernels::TsAxis& call) override;
  std::span<const gpu::Record> read_records() override { return read_cells(groups_); }
  std::span<const gpu::Record> read_cells(std::size_t count) override;
  std::span<const kernels::TS_U64> read_spill() override;
  std::span<const kernels::TS_U64> read_bins() override;

 private:
  using Words = std::vector<kernels::TS_U64>;
  cl_kernel kernel(kernels::ReduceKernel which);
  std::span<const kernels::TS_U64> read_and_clear(cl_mem memory, std::size_t words, Words& to);

  std::map<kernels::ReduceKernel, Kernel> kernels_;  ///< created at first use
  std::size_t groups_at_once_;
  std::size_t groups_ = 0;  ///< groups of the last launch
  DeviceMemory records_, spill_, edges_, bins_, logarithms_;
  std::size_t spill_words_;
  std::size_t bin_count_ = 1;
  std::vector<gpu::Record> read_records_;
  Words read_spill_, read_bins_;
};

}  // namespace tessera::device::opencl
