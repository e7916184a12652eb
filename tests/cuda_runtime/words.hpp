// What kernels need of CUDA C++, for the host's compiler: kernels/cuda/words.h works with these
// definitions. Only operations that kernels use are here.
#pragma once

#include <vector_types.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

struct Index {
  unsigned x = 0;
};
using Size = Index;
/// Of the thread that runs. One launch runs at a time.
extern Index blockIdx, threadIdx;
extern Size gridDim, blockDim;

namespace cuda_runtime {
void barrier();
/// Defined apart from kernels, which are instrumented. They return the value before.
unsigned add_atomically(unsigned* sum, unsigned value);
unsigned long long add_atomically(unsigned long long* sum, unsigned long long value);
unsigned set_if_equal(unsigned* word, unsigned expected, unsigned value);
unsigned take_less(unsigned* least, unsigned value);
unsigned take_greater(unsigned* greatest, unsigned value);
ulonglong2 load_vector(const ulonglong2* pair);
}  // namespace cuda_runtime

#undef __device__
#undef __global__
#undef __shared__
#undef __launch_bounds__
#undef __forceinline__
#undef __grid_constant__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __shared__ static __attribute__((section("cuda_shared")))

inline void __syncthreads() {
  cuda_runtime::barrier();
}

inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __dsqrt_rn(double a) {
  return std::sqrt(a);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline long long __double_as_longlong(double a) {
  return std::bit_cast<long long>(a);
}
inline double __longlong_as_double(long long a) {
  return std::bit_cast<double>(a);
}
inline unsigned __float_as_uint(float a) {
  return std::bit_cast<unsigned>(a);
}
inline float __uint_as_float(unsigned a) {
  return std::bit_cast<float>(a);
}
inline int __clzll(long long a) {
  return std::countl_zero(static_cast<unsigned long long>(a));
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline ulonglong2 __ldg(const ulonglong2* pair) {
  return cuda_runtime::load_vector(pair);
}
inline unsigned atomicAdd(unsigned* sum, unsigned value) {
  return cuda_runtime::add_atomically(sum, value);
}
inline unsigned long long atomicAdd(unsigned long long* sum, unsigned long long value) {
  return cuda_runtime::add_atomically(sum, value);
}
inline unsigned atomicCAS(unsigned* word, unsigned expected, unsigned value) {
  return cuda_runtime::set_if_equal(word, expected, value);
}
inline unsigned atomicMin(unsigned* least, unsigned value) {
  return cuda_runtime::take_less(least, value);
}
inline unsigned atomicMax(unsigned* greatest, unsigned value) {
  return cuda_runtime::take_greater(greatest, value);
}
