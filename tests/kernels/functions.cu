// Each function of kernels/functions for an array of arguments, in CUDA C++.
#include "kernels/cuda/functions.h"
#include "kernels/functions/list.h"

namespace tessera::kernels {

/// The function in this row of the table.
__device__ inline double apply_function(unsigned function, double x, [[maybe_unused]] double y) {
  unsigned row = 0;
#define TS_ONE(name, Name) \
  if (function == row++) return tf_##name(x);
#define TS_TWO(name, Name) \
  if (function == row++) return tf_##name(x, y);
  TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO
  return x;
}

}  // namespace tessera::kernels

#ifdef __CUDACC__
#include "tests/kernels/functions_on_gpu.hpp"

namespace tessera::kernels {
namespace {

__global__ void apply_functions(unsigned function, double* x, const double* y, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) x[i] = apply_function(function, x[i], y[i]);
}

}  // namespace

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

bool apply_on_gpu(unsigned function, double* x, const double* y, std::size_t count) {
  constexpr unsigned kThreads = 256;
  const std::size_t bytes = count * sizeof(double);
  double* numbers = nullptr;
  if (cudaMalloc(&numbers, 2 * bytes) != cudaSuccess) return false;
  cudaMemcpy(numbers, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(numbers + count, y, bytes, cudaMemcpyHostToDevice);
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  apply_functions<<<blocks, kThreads>>>(function, numbers, numbers + count, count);
  const bool copied = cudaMemcpy(x, numbers, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(numbers);
  return copied;
}

}  // namespace tessera::kernels
#endif
