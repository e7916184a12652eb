// The kernel of deep pixels in 190 bits as CUDA C++, with its launch.
#include "kernels/cuda/pixels.hpp"
#include "kernels/cuda/words.h"
#include "kernels/pixel/formulas.hpp"

namespace tessera::kernels {
namespace {

#undef TS_FN
#define TS_FN __device__ __forceinline__
// clang-format off
#include "kernels/pixel/launch.h"
#include "kernels/gpu/deep_wide.h"
// clang-format on

}  // namespace

void launch_wide(const TsTile& tile, const TsDeepImage& image, const std::byte* table,
                 std::byte* out, TsStats* stats, cudaStream_t stream) {
  ts_render_wide<<<blocks_of(tile), TS_BLOCK_SIZE, 0, stream>>>(
      tile, image, reinterpret_cast<const unsigned char*>(table),
      reinterpret_cast<unsigned char*>(out), stats);
}

}  // namespace tessera::kernels
