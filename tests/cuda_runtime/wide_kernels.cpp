// kernels/cuda/deep_wide.cu for the host: the same text.
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
#include "kernels/gpu/deep_wide.h"
// clang-format on

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::wide_kernels() {
  using namespace tessera::kernels;  // NOLINT(google-build-using-namespace): only kernels are here
  static const HostKernel kKernels[] = {
      host_kernel("ts_render_wide", TS_BLOCK_SIZE, ts_render_wide),
  };
  return kKernels;
}
