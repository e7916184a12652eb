// The render and benchmark kernels as CUDA C++, with their launches.
#include "kernels/cuda/pixels.hpp"
#include "kernels/cuda/words.h"
#include "kernels/pixel/formulas.hpp"

namespace tessera::kernels {
namespace {

// Everything is inlined, so that the constant formula removes the switch over formulas.
#undef TS_FN
#define TS_FN __device__ __forceinline__
// clang-format off
#include "kernels/gpu/bench_kernels.h"
#include "kernels/pixel/launch.h"
#include "kernels/pixel/render_kernel.h"
#include "kernels/gpu/deep.h"
// clang-format on

using RenderKernel = void (*)(TsTile, unsigned char*, TsStats*);

/// Indexed by TsFormula and TsRenderKind.
constexpr RenderKernel kRenderKernels[][TS_RENDER_KIND_COUNT] = {
#define TS_KERNEL_NAME(id, kind, call) ts_render_##id##_##kind,
#define TS_ROW(id, name, parameter, surely_inside, fold) {TS_RENDER_KINDS(TS_KERNEL_NAME, id)},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
#undef TS_KERNEL_NAME
};

}  // namespace

cudaError_t find_a_kernel() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, ts_fill);
}

void launch_render(const TsTile& tile, std::byte* out, TsStats* stats, cudaStream_t stream) {
  kRenderKernels[tile.formula][render_kind_of(tile)]<<<blocks_of(tile), TS_BLOCK_SIZE, 0, stream>>>(
      tile, reinterpret_cast<unsigned char*>(out), stats);
}

void launch_deep(const TsTile& tile, const TsDeepImage& image, const std::byte* table,
                 std::byte* out, TsStats* stats, cudaStream_t stream) {
  const auto kernel = image.limits.jumps != 0 ? ts_render_deep : ts_render_deep_steps;
  kernel<<<blocks_of(tile), TS_BLOCK_SIZE, 0, stream>>>(
      tile, image, reinterpret_cast<const unsigned char*>(table),
      reinterpret_cast<unsigned char*>(out), stats);
}

void launch_fill(double* a, double* b, std::uint64_t count, unsigned blocks, cudaStream_t stream) {
  ts_fill<<<blocks, TS_BLOCK_SIZE, 0, stream>>>(a, b, count);
}

void launch_add(const double* a, const double* b, double* c, std::uint64_t count, unsigned blocks,
                cudaStream_t stream) {
  ts_add_arrays<<<blocks, TS_BLOCK_SIZE, 0, stream>>>(a, b, c, count);
}

void launch_sum(const double* a, double* partial, std::uint64_t count, unsigned blocks,
                cudaStream_t stream) {
  ts_sum_array<<<blocks, TS_BLOCK_SIZE, 0, stream>>>(a, partial, count);
}

}  // namespace tessera::kernels
