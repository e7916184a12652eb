// The kernel that evaluates expressions as CUDA C++, with its launch.
#include "kernels/cuda/expression.hpp"
#include "kernels/cuda/functions.h"
#include "kernels/cuda/reduce_words.h"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {

#include "kernels/gpu/expression.h"
#include "kernels/gpu/expression_kernel.h"

void launch_map(const TsMap& call, const TsStep* steps, std::byte* memory, cudaStream_t stream) {
  const TS_U64 blocks = (call.elements + TS_REDUCE_BLOCK - 1) / TS_REDUCE_BLOCK;
  ts_map<<<static_cast<unsigned>(blocks), TS_REDUCE_BLOCK, 0, stream>>>(
      call, steps, reinterpret_cast<unsigned char*>(memory));
}

}  // namespace tessera::kernels
