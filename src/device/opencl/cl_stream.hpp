// gpu::Stream on an OpenCL queue.
#pragma once

#include <vector>

#include "device/gpu/pixel_stream.hpp"
#include "device/opencl/cl_queue.hpp"

namespace tessera::device::opencl {

class ClStream : public ClQueue<gpu::Stream> {
 public:
  explicit ClStream(std::shared_ptr<const OpenDevice> device);

  void clear(std::size_t bytes) override;
  void begin_stats() override;
  void launch(const gpu::Tile& tile) override;
  gpu::StatsSlots read_stats() override;
  void copy_out(std::size_t from, std::span<std::byte> to) override;

 private:
  std::vector<Kernel> render_;      ///< by kernels::TsFormula
  std::vector<Kernel> render_cut_;  ///< the same, for orbits that are cut
  gpu::StatsSlots no_pixels_;
  DeviceMemory stats_;
};

}  // namespace tessera::device::opencl
