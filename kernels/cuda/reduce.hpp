// The launches of kernels/cuda/reduce.cu; each returns at once and leaves its error to
// cudaGetLastError().
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {

/// Device memory that a launch takes.
struct ReduceMemory {
  const std::byte* elements = nullptr;  ///< at a multiple of 16 bytes
  TsReduced* records = nullptr;         ///< of each group
  TS_U64* spill = nullptr;              ///< TS_SPILL_SLOTS * TS_SLOT_LIMBS
  const double* edges = nullptr;        ///< of a histogram, as the counts are; or logarithms
  TS_U64* bin_counts = nullptr;
};

/// Groups that run on a multiprocessor at once; 0 when the error says why. Of any kernel but make
/// and those along axes, as the next one.
int groups_at_once(ReduceKernel kernel);

void launch_reduce(ReduceKernel kernel, const TsReduce& call, const ReduceMemory& memory,
                   unsigned groups, cudaStream_t stream);
/// Along axes; `real`: of floats.
void launch_axis(bool real, const TsAxis& call, const ReduceMemory& memory, unsigned groups,
                 cudaStream_t stream);
void launch_make(const TsMake& make, std::byte* out, unsigned groups, cudaStream_t stream);

}  // namespace tessera::kernels
