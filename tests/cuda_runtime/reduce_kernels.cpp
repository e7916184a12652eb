// kernels/cuda/reduce.cu for the host: the same text.
// The definitions for the host come first.
// clang-format off
#include "words.hpp"
#include "kernels/cuda/reduce_words.h"
// clang-format on

#include "kernels.hpp"
#include "kernels/gpu/array_kernels.hpp"

namespace tessera::kernels {
namespace {

#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::reduce_kernels() {
  using namespace tessera::kernels;  // NOLINT(google-build-using-namespace): only kernels are here
  static const HostKernel kKernels[] = {
#define TS_ROW(name, arguments, blocks) host_kernel("ts_" #name, TS_REDUCE_BLOCK, ts_##name),
      TS_ARRAY_KERNELS(TS_ROW)
#undef TS_ROW
  };
  return kKernels;
}
