// gpu::ArrayStream on an OpenCL queue.
#pragma once

#include <map>
#include <vector>

#include "device/gpu/array_stream.hpp"
#include "device/opencl/queue.hpp"

namespace tessera::device::opencl {

class ClArrayStream : public gpu::ArrayStream {
 public:
  explicit ClArrayStream(std::shared_ptr<const OpenDevice> device);

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override;
  void copy_in(std::span<const std::byte> elements) override;
  void make(const kernels::TsMake& make) override;
  void set_bins(std::span<const double> edges) override;
  void launch(const kernels::TsReduce& call, base::ElementType type) override;
  std::span<const gpu::Record> read_records() override;
  std::span<const kernels::TS_U64> read_spill() override;
  std::span<const kernels::TS_U64> read_bins() override;
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return std::make_unique<MappedBuffer>(queue_, bytes);
  }

 private:
  cl_kernel kernel(kernels::ReduceKernel which);
  std::span<const kernels::TS_U64> read_and_clear(cl_mem memory, std::size_t words);

  CommandQueue queue_;
  std::map<kernels::ReduceKernel, Kernel> kernels_;  ///< those that were asked for
  std::size_t groups_at_once_;
  std::size_t groups_ = 0;  ///< of the last launch
  std::size_t capacity_ = kLeastBytes;
  Memory elements_, records_, spill_, edges_, bins_;
  std::size_t bin_count_ = 1;
  std::vector<gpu::Record> read_records_;
  std::vector<kernels::TS_U64> read_words_;
};

}  // namespace tessera::device::opencl
