// gpu::Stream on an OpenCL queue.
#pragma once

#include <array>
#include <optional>

#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/opencl/cl_queue.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {

class ClStream : public ClQueue<gpu::Stream> {
 public:
  explicit ClStream(const std::shared_ptr<const OpenDevice>& device);

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
  void launch_deep(const gpu::Tile& tile);

  const Kernel& render_kernel(const gpu::Tile& tile);

  using Kinds = std::array<std::optional<Kernel>, kernels::TS_RENDER_KIND_COUNT>;
  std::array<Kinds, kernels::TS_FORMULA_COUNT> render_;
  std::array<std::optional<Kernel>, 4> render_deep_;  ///< with jumps, and by steps; in 106 bits
  gpu::DeepTableUser<DeviceMemory> deep_;
  gpu::StatsSlots no_pixels_;
  DeviceMemory stats_;
};

}  // namespace tessera::device::opencl
