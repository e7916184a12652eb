// kernels/cuda/deep_precise.cu for the host: the same text.
// The definitions for the host come first.
// clang-format off
#include "words.hpp"
#include "kernels/cuda/words.h"
// clang-format on

#include "kernels.hpp"
#include "kernels/deep/image.hpp"
#include "kernels/pixel/formulas.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {
namespace {

// clang-format off
#include "kernels/pixel/launch.h"
#include "kernels/gpu/deep_precise.h"
// clang-format on

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::precise_kernels() {
  using namespace tessera::kernels;  // NOLINT(google-build-using-namespace): only kernels are here
  static const HostKernel kKernels[] = {
      host_kernel("ts_render_precise", TS_BLOCK_SIZE, ts_render_precise),
      host_kernel("ts_render_precise_steps", TS_BLOCK_SIZE, ts_render_precise_steps),
  };
  return kKernels;
}
