// gpu::ArrayStream on an OpenCL queue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/opencl/cl_queue.hpp"

namespace tessera::device::opencl {

class ClArrayStream : public ClQueue<gpu::ArrayStream> {
 public:
  explicit ClArrayStream(const std::shared_ptr<const OpenDevice>& device);

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    queue().write(memory(), elements, at_byte);
  }
  void clear(std::size_t at_byte, std::size_t bytes) override {
    set_to_zero(memory(), at_byte, bytes);
  }
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override;
  void copy_out(std::size_t at_byte, std::span<std::byte> elements) override;
  void set_bins(std::span<const double> edges, std::size_t outputs) override;
  void set_logarithms(std::span<const kernels::TS_U64> words) override;
  void set_cells(std::size_t cells, std::size_t limbs) override;
  void launch(kernels::ArrayKernel kernel, std::size_t blocks,
              std::span<const kernels::TS_U64> arguments) override;
  std::span<const gpu::Record> read_records() override { return read_cells(blocks_); }
  std::span<const gpu::Record> read_cells(std::size_t count) override;
  std::span<const kernels::TS_U64> read_spill() override;
  std::span<const kernels::TS_U64> read_bins() override;

 private:
  using Words = std::vector<kernels::TS_U64>;
  void set_to_zero(cl_mem memory, std::size_t at_byte, std::size_t bytes);
  cl_kernel kernel(kernels::ArrayKernel which);
  cl_kernel kernel(std::span<const kernels::TsStep> steps,
                   std::span<const kernels::TsMapResult> results);
  std::span<const kernels::TS_U64> read_and_clear(cl_mem memory, std::size_t words, Words& to);

  std::map<kernels::ArrayKernel, Kernel> kernels_;  ///< created at first use
  std::map<std::string, Kernel> maps_;              ///< by gpu::expression_key()
  std::size_t blocks_at_once_;
  bool has_sum_kernels_;    ///< shared memory is large enough for the kernels of sums alone
  std::size_t blocks_ = 0;  ///< of the last reduction
  DeviceMemory records_, spill_, edges_, bins_, logarithms_;
  std::size_t spill_words_;
  std::size_t bin_count_ = 1;
  std::vector<gpu::Record> read_records_;
  Words read_spill_, read_bins_;
};

}  // namespace tessera::device::opencl
