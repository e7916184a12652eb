// gpu::Stream on an OpenCL queue.
#pragma once

#include <array>
#include <optional>

#include "device/gpu/pixels/pixel_stream_on.hpp"
#include "device/opencl/cl_queue.hpp"
#include "kernels/pixel/formulas.hpp"

namespace tessera::device::opencl {

class ClStream : public gpu::PixelStreamOn<ClQueue<gpu::Stream>> {
 public:
  explicit ClStream(const std::shared_ptr<const OpenDevice>& device);

  void launch(const gpu::Tile& tile) override;

 protected:
  /// Builds the program, because drivers take seconds for it.
  void prepare_deep(std::uint32_t table) override;

 private:
  void launch_deep(const gpu::Tile& tile);

  const Kernel& render_kernel(const gpu::Tile& tile);

  using Kinds = std::array<std::optional<Kernel>, kernels::TS_RENDER_KIND_COUNT>;
  std::array<Kinds, kernels::TS_FORMULA_COUNT> render_;
  std::array<std::optional<Kernel>, 5> render_deep_;  ///< as launch_deep() has their names
};

}  // namespace tessera::device::opencl
