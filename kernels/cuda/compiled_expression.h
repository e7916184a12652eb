// What an expression needs as CUDA C++ for a compiler at run time (NVRTC), without any header of
// the toolkit. The kernel itself is written for each expression
// (src/device/gpu/arrays/expression_source.hpp) and follows this text.
#include "kernels/cuda/functions.h"
#include "kernels/cuda/reduce_words.h"

#define TS_U32 unsigned
#define TS_U64 unsigned long long

namespace tessera::kernels {

// clang-format off
#include "kernels/gpu/reduce_arguments.h"
#include "kernels/gpu/expression_arguments.h"
#include "kernels/gpu/expression.h"
// clang-format on

}  // namespace tessera::kernels

using namespace tessera::kernels;

// The kernel is found by its plain name.
#undef TS_KERNEL_OF
#define TS_KERNEL_OF(size) extern "C" __global__ __launch_bounds__(size)
