// The kernels in kernels/cuda/reduce.cu, for cudaLaunchKernel().
#pragma once

#include "kernels/gpu/array_kernels.hpp"

namespace tessera::kernels {

/// Its blocks have TS_REDUCE_BLOCK threads. The first argument is the struct of its row; pointers
/// to device memory follow: the memory, aligned to 16 bytes, and for reductions TsReduced, TS_U64,
/// double, TS_U64, as kernels/gpu/array_kernels.h lists them.
const void* entry_of(ArrayKernel kernel);

}  // namespace tessera::kernels
