// gpu::Stream on a CUDA stream.
#pragma once

#include "device/cuda/cuda_queue.hpp"
#include "device/gpu/pixels/deep_tables.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::cuda {

class CudaStream : public CudaQueue<gpu::Stream> {
 public:
  using DeepTables = gpu::DeepTables<DeviceArray<std::byte>>;

  /// Opens device number `device` of this process. The tables are those of the device.
  CudaStream(int device, const std::shared_ptr<gpu::MemoryBudget>& budget,
             std::shared_ptr<DeepTables> tables);

  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::BandStats read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;
  void copy_in(std::span<const std::byte> from, std::size_t to) override;
  bool use_deep(std::uint64_t number, std::uint32_t table) override {
    return deep_.use(number, table);
  }
  bool make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                 std::size_t bytes) override;
  void copy_deep(std::span<const std::byte> from, std::size_t at_byte) override;
  void share_deep(std::uint64_t number) override { deep_.share(number); }

 private:
  int device_;
  std::shared_ptr<gpu::MemoryBudget> budget_;
  std::shared_ptr<DeepTables> tables_;
  gpu::DeepTableUser<DeviceArray<std::byte>> deep_{*tables_};
  DeviceArray<kernels::TsStats> stats_;
  std::unique_ptr<StreamBuffer> no_pixels_;   ///< page-locked source of begin_stats()
  std::unique_ptr<StreamBuffer> read_slots_;  ///< page-locked destination of read_stats()
};

}  // namespace tessera::device::cuda
