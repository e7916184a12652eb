// gpu::ArrayStream on a CUDA stream.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"

namespace tessera::device::cuda {

class CudaArrayStream : public CudaQueue<gpu::ArrayStream> {
 public:
  /// Opens device number `device` of this process.
  CudaArrayStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget);

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override;
  void clear(std::size_t at_byte, std::size_t bytes) override;
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
  std::size_t blocks_at_once(kernels::ArrayKernel kernel) const;
  /// The first `bytes` bytes of `buffer`, which is allocated the first time that it is needed.
  std::span<std::byte> room_in(std::unique_ptr<StreamBuffer>& buffer, std::size_t bytes) const;
  std::span<const kernels::TS_U64> read_and_clear(kernels::TS_U64* memory, std::size_t words,
                                                  std::unique_ptr<StreamBuffer>& buffer);

  std::size_t most_blocks_;
  std::size_t blocks_ = 0;  ///< of the last reduction
  DeviceArray<gpu::Record> records_;
  DeviceArray<kernels::TS_U64> spill_;
  DeviceArray<double> edges_;
  DeviceArray<kernels::TS_U64> bins_;
  DeviceArray<double> logarithms_;  ///< bits of kernels::LogTable, passed in place of the bin edges
  DeviceArray<kernels::TsStep> steps_;
  base::Bytes known_steps_;  ///< those in steps_
  std::size_t spill_words_;
  std::size_t bin_count_ = 0;
  std::unique_ptr<StreamBuffer> read_records_, read_spill_, read_bins_;  ///< destinations
};

}  // namespace tessera::device::cuda
