// The functions of kernels/functions in CUDA C++: tf_exp, ... Compile with -fmad=false.
#pragma once

#include "kernels/cuda/words.h"

#define TS_CONSTANTS const double*
#define TS_TABLE(name, count) static __device__ constexpr double name[count]

#ifdef __CUDACC__
#pragma nv_diag_suppress 550  // one number of a row may be unused
#endif

namespace tessera::kernels {

__device__ inline bool ts_equal(double a, double b) {
  return a == b;
}
__device__ inline bool ts_not(bool a) {
  return !a;
}

// clang-format off
#include "kernels/functions/one_number.h"
#include "kernels/functions/tables.h"
#include "kernels/functions/functions.h"
// clang-format on

}  // namespace tessera::kernels
