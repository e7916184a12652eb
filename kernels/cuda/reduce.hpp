// Launches of the kernels in kernels/cuda/reduce.cu. They are asynchronous; cudaGetLastError()
// returns their errors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {

/// Device memory that a launch uses.
struct ReduceMemory {
  const std::byte* elements = nullptr;  ///< aligned to 16 bytes
  TsReduced* records = nullptr;         ///< one per block
  TS_U64* spill = nullptr;              ///< TS_SPILL_SLOTS * TS_SLOT_LIMBS elements
  const double* edges = nullptr;        ///< edges of a histogram (with bin_counts), or logarithms
  TS_U64* bin_counts = nullptr;
};

/// Number of blocks that run on a multiprocessor at a time; 0 if cudaGetLastError() has an error.
/// For the kernels of launch_reduce().
int blocks_at_once(ReduceKernel kernel);

void launch_reduce(ReduceKernel kernel, const TsReduce& call, const ReduceMemory& memory,
                   unsigned blocks, cudaStream_t stream);
/// Reduces along axes. `real`: the elements are floating-point numbers.
void launch_axis(bool real, const TsAxis& call, const ReduceMemory& memory, unsigned blocks,
                 cudaStream_t stream);
/// All of elements and results in `memory`.
void launch_keys(const TsKeys& call, std::byte* memory, unsigned blocks, cudaStream_t stream);
void launch_groups(const TsGroups& call, std::byte* memory, unsigned blocks, cudaStream_t stream);
void launch_keep(const TsKeep& call, std::byte* memory, unsigned blocks, cudaStream_t stream);
void launch_select(const TsSelect& call, std::byte* memory, cudaStream_t stream);
void launch_list(const TsSelect& call, std::byte* memory, cudaStream_t stream);
void launch_values(const TsValues& call, std::byte* memory, cudaStream_t stream);
void launch_search(const TsSearch& call, std::byte* memory, unsigned blocks, cudaStream_t stream);
void launch_make(const TsMake& make, std::byte* out, unsigned blocks, cudaStream_t stream);

}  // namespace tessera::kernels
