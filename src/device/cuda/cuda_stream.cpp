#include "device/cuda/cuda_stream.hpp"

#include "kernels/cuda/pixels.hpp"

namespace tessera::device::cuda {

void CudaStream::launch(const gpu::Tile& tile) {
  make_current();
  auto* const slots = reinterpret_cast<kernels::TsStats*>(stats().get());
  if ((tile.flags & TS_DEEP) != 0) {
    const auto& deep = table(tile.table);
    const auto launch = tile.table == 0                 ? kernels::launch_deep
                        : tile.table == gpu::kWideTable ? kernels::launch_wide
                                                        : kernels::launch_precise;
    launch(tile, deep.image, deep.memory.get(), memory().get(), slots, stream());
  } else {
    kernels::launch_render(tile, memory().get(), slots, stream());
  }
  launched("launch of the render kernel");
}

}  // namespace tessera::device::cuda
