// gpu::Stream on an OpenCL queue.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/opencl/cl_queue.hpp"

namespace tessera::device::opencl {

class ClStream : public ClQueue<gpu::Stream> {
 public:
  explicit ClStream(const std::shared_ptr<const OpenDevice>& device);

  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
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

  std::vector<Kernel> render_;                        ///< by kernels::TsFormula
  std::vector<Kernel> render_cut_;                    ///< the same, for orbits that are cut
  std::array<std::optional<Kernel>, 4> render_deep_;  ///< with jumps, and by steps; in 106 bits
  gpu::DeepTableUser<DeviceMemory> deep_;
  gpu::StatsSlots no_pixels_;
  DeviceMemory stats_;
};

}  // namespace tessera::device::opencl
