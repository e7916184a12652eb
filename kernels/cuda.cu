// The kernels as CUDA C++, and how they are launched.
#include "kernels/cuda.hpp"
#include "kernels/cuda_words.h"

namespace tessera::kernels {
namespace {

#include "kernels/pixel/render_kernel.h"

}  // namespace

cudaError_t find_render_kernel() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, ts_render);
}

void launch_render(const TsTile& tile, std::byte* out, TsStats* stats, cudaStream_t stream) {
  ts_render<<<groups_of(tile), TS_GROUP_SIZE, 0, stream>>>(
      tile, reinterpret_cast<unsigned char*>(out), stats);
}

void launch_fill(double* a, double* b, std::uint64_t count, unsigned groups, cudaStream_t stream) {
  ts_fill<<<groups, TS_GROUP_SIZE, 0, stream>>>(a, b, count);
}

void launch_add(const double* a, const double* b, double* c, std::uint64_t count, unsigned groups,
                cudaStream_t stream) {
  ts_add_arrays<<<groups, TS_GROUP_SIZE, 0, stream>>>(a, b, c, count);
}

void launch_sum(const double* a, double* partial, std::uint64_t count, unsigned groups,
                cudaStream_t stream) {
  ts_sum_array<<<groups, TS_GROUP_SIZE, 0, stream>>>(a, partial, count);
}

}  // namespace tessera::kernels
