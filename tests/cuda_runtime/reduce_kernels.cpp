// kernels/cuda/reduce.cu for the host: the same text.
// The definitions for the host come first.
// clang-format off
#include "words.hpp"
#include "kernels/cuda/reduce_words.h"
// clang-format on

#include "kernels.hpp"
#include "kernels/gpu/reduce_arguments.hpp"

namespace tessera::kernels {
namespace {

#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"

}  // namespace
}  // namespace tessera::kernels

std::span<const cuda_runtime::HostKernel> cuda_runtime::reduce_kernels() {
  using namespace tessera::kernels;  // NOLINT(google-build-using-namespace): only kernels are here
#define KERNEL(name) host_kernel(#name, TS_REDUCE_BLOCK, name)
  static const HostKernel kKernels[] = {
      KERNEL(ts_reduce_i8),    KERNEL(ts_reduce_i16), KERNEL(ts_reduce_i32),
      KERNEL(ts_reduce_i64),   KERNEL(ts_reduce_u8),  KERNEL(ts_reduce_u16),
      KERNEL(ts_reduce_u32),   KERNEL(ts_reduce_u64), KERNEL(ts_reduce_f16),
      KERNEL(ts_reduce_f32),   KERNEL(ts_reduce_f64), KERNEL(ts_sum_f32),
      KERNEL(ts_sum_f64),      KERNEL(ts_product),    KERNEL(ts_dot_reals),
      KERNEL(ts_dot_integers), KERNEL(ts_axis_reals), KERNEL(ts_axis_integers),
      KERNEL(ts_keys),         KERNEL(ts_groups),     KERNEL(ts_keep),
      KERNEL(ts_select),       KERNEL(ts_list),       KERNEL(ts_values),
      KERNEL(ts_search),       KERNEL(ts_make)};
#undef KERNEL
  return kKernels;
}
