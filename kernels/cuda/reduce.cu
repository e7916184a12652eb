// The reduction kernels as CUDA C++, with their launches.
#include "kernels/cuda/reduce.hpp"
#include "kernels/cuda/reduce_words.h"

namespace tessera::kernels {

#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"

namespace {

using Kernel = void (*)(TsReduce, const ulonglong2*, TsReduced*, TS_U64*, const double*, TS_U64*);

/// Indexed by ReduceKernel.
constexpr Kernel kKernels[] = {
    ts_reduce_i8,  ts_reduce_i16, ts_reduce_i32, ts_reduce_i64, ts_reduce_u8,   ts_reduce_u16,
    ts_reduce_u32, ts_reduce_u64, ts_reduce_f16, ts_reduce_f32, ts_reduce_f64,  ts_sum_f32,
    ts_sum_f64,    nullptr,       ts_product,    ts_dot_reals,  ts_dot_integers};

}  // namespace

int blocks_at_once(ReduceKernel kernel) {
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kKernels[static_cast<int>(kernel)],
                                                TS_REDUCE_BLOCK, 0);
  return blocks;
}

void launch_reduce(ReduceKernel kernel, const TsReduce& call, const ReduceMemory& memory,
                   unsigned blocks, cudaStream_t stream) {
  kKernels[static_cast<int>(kernel)]<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(
      call, reinterpret_cast<const ulonglong2*>(memory.elements), memory.records, memory.spill,
      memory.edges, memory.bin_counts);
}

void launch_axis(bool real, const TsAxis& call, const ReduceMemory& memory, unsigned blocks,
                 cudaStream_t stream) {
  const auto kernel = real ? ts_axis_reals : ts_axis_integers;
  kernel<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(
      call, reinterpret_cast<const ulonglong2*>(memory.elements), memory.records, memory.spill,
      memory.edges, memory.bin_counts);
}

void launch_keys(const TsKeys& call, std::byte* memory, unsigned blocks, cudaStream_t stream) {
  ts_keys<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(call, reinterpret_cast<unsigned char*>(memory));
}

void launch_groups(const TsGroups& call, std::byte* memory, unsigned blocks, cudaStream_t stream) {
  ts_groups<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(call, reinterpret_cast<unsigned char*>(memory));
}

void launch_keep(const TsKeep& call, std::byte* memory, unsigned blocks, cudaStream_t stream) {
  ts_keep<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(call, reinterpret_cast<unsigned char*>(memory));
}

void launch_select(const TsSelect& call, std::byte* memory, cudaStream_t stream) {
  ts_select<<<call.outputs, TS_REDUCE_BLOCK, 0, stream>>>(call,
                                                          reinterpret_cast<unsigned char*>(memory));
}

void launch_list(const TsSelect& call, std::byte* memory, cudaStream_t stream) {
  ts_list<<<call.outputs, TS_REDUCE_BLOCK, 0, stream>>>(call,
                                                        reinterpret_cast<unsigned char*>(memory));
}

void launch_values(const TsValues& call, std::byte* memory, cudaStream_t stream) {
  ts_values<<<call.tables * call.splits, TS_REDUCE_BLOCK, 0, stream>>>(
      call, reinterpret_cast<unsigned char*>(memory));
}

void launch_search(const TsSearch& call, std::byte* memory, unsigned blocks, cudaStream_t stream) {
  ts_search<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(call, reinterpret_cast<unsigned char*>(memory));
}

void launch_make(const TsMake& make, std::byte* out, unsigned blocks, cudaStream_t stream) {
  ts_make<<<blocks, TS_REDUCE_BLOCK, 0, stream>>>(make, reinterpret_cast<unsigned char*>(out));
}

}  // namespace tessera::kernels
