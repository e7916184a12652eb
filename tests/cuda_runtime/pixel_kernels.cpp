// kernels/cuda/pixels.cu for the host: the same text.
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
#include "kernels/gpu/bench_kernels.h"
#include "kernels/pixel/launch.h"
#include "kernels/pixel/render_kernel.h"
#include "kernels/gpu/deep.h"
// clang-format on

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::pixel_kernels() {
  using namespace tessera::kernels;  // NOLINT(google-build-using-namespace): only kernels are here
  static const HostKernel kKernels[] = {
      host_kernel("ts_fill", TS_BLOCK_SIZE, ts_fill),
      host_kernel("ts_add_arrays", TS_BLOCK_SIZE, ts_add_arrays),
      host_kernel("ts_sum_array", TS_BLOCK_SIZE, ts_sum_array),
      host_kernel("ts_render_deep", TS_BLOCK_SIZE, ts_render_deep),
      host_kernel("ts_render_deep_steps", TS_BLOCK_SIZE, ts_render_deep_steps),
#define TS_NAMED(id, kind, call) \
  host_kernel("ts_render_" #id "_" #kind, TS_BLOCK_SIZE, ts_render_##id##_##kind),
#define TS_ROW(id, name, parameter, surely_inside, fold) TS_RENDER_KINDS(TS_NAMED, id)
      TS_FORMULAS(TS_ROW)
#undef TS_ROW
#undef TS_NAMED
  };
  return kKernels;
}
