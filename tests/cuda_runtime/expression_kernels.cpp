// kernels/cuda/expression.cu for the host: the same text.
// The definitions for the host come first, but for a header whose macros end before those of
// functions.h.
// clang-format off
#include "kernels/pixel/tile.hpp"
#include "words.hpp"
#include "kernels/cuda/functions.h"
#include "kernels/cuda/reduce_words.h"
// clang-format on

#include "kernels.hpp"
#include "kernels/gpu/expression_arguments.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {
namespace {

#include "kernels/gpu/expression.h"
#include "kernels/gpu/expression_kernel.h"

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::expression_kernels() {
  static const HostKernel kKernels[] = {
      host_kernel("ts_map", TS_REDUCE_BLOCK, tessera::kernels::ts_map)};
  return kKernels;
}
