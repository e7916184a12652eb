// CUDA C++ definitions of numbers, threads and atomics for the entry files pixels.cu and reduce.cu.
// They are compiled with -fmad=false, and the operations are intrinsics that are never fused or
// approximated.
#pragma once

#include <cstdint>

#define TS_FN __device__ inline
#define TS_REAL double
#define TS_MASK bool
#define TS_BITS unsigned long long

#define TS_KERNEL_OF(size) static __global__ __launch_bounds__(size)
// At least so many blocks at a time on a multiprocessor.
#define TS_KERNEL_WITH(size, blocks) static __global__ __launch_bounds__(size, blocks)
// The same; before 8.0, a multiprocessor has threads for four blocks of 256.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TS_KERNEL_AT_ONCE(size, blocks) TS_KERNEL_WITH(size, blocks)
#else
#define TS_KERNEL_AT_ONCE(size, blocks) TS_KERNEL_OF(size)
#endif
#define TS_APART static __device__ __attribute__((noinline))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define TS_BY_ADDRESS
#else
#define TS_BY_ADDRESS __grid_constant__
#endif
#define TS_KERNEL TS_KERNEL_OF(TS_BLOCK_SIZE)
#define TS_GLOBAL
#define TS_LOCAL __shared__
#define TS_IN_LOCAL
#define TS_BLOCK() blockIdx.x
#define TS_BLOCKS() gridDim.x
#define TS_THREAD() threadIdx.x
#define TS_BARRIER() __syncthreads()
#define TS_ATOMIC_ADD(p, v) atomicAdd((p), (v))
#define TS_ATOMIC_MIN(p, v) atomicMin((p), (v))
#define TS_ATOMIC_MAX(p, v) atomicMax((p), (v))
#define TS_ATOMIC_ADD_LOCAL(p, v) atomicAdd((p), (v))
#define TS_ATOMIC_MIN_LOCAL(p, v) atomicMin((p), (v))
#define TS_ATOMIC_MAX_LOCAL(p, v) atomicMax((p), (v))
#define TS_ATOMIC_SET_IF(p, expected, v) atomicCAS((p), (expected), (v))
#define TS_FLOAT_BITS(v) __float_as_uint(v)

namespace tessera::kernels {

__device__ inline double ts_real(double k) {
  return k;
}
__device__ inline double ts_add(double a, double b) {
  return __dadd_rn(a, b);
}
__device__ inline double ts_sub(double a, double b) {
  return __dsub_rn(a, b);
}
__device__ inline double ts_mul(double a, double b) {
  return __dmul_rn(a, b);
}
__device__ inline double ts_div(double a, double b) {
  return __ddiv_rn(a, b);
}
__device__ inline double ts_sqrt(double a) {
  return __dsqrt_rn(a);
}
__device__ inline double ts_abs(double a) {
  return fabs(a);
}
__device__ inline double ts_neg(double a) {
  return -a;
}
__device__ inline bool ts_less(double a, double b) {
  return a < b;
}
__device__ inline bool ts_both(bool a, bool b) {
  return a && b;
}
__device__ inline bool ts_either(bool a, bool b) {
  return a || b;
}
__device__ inline bool ts_none(bool a) {
  return !a;
}
__device__ inline double ts_if(bool mask, double yes, double no) {
  return mask ? yes : no;
}
__device__ inline double ts_fma(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
__device__ inline double ts_fnma(double a, double b, double c) {
  return __fma_rn(-a, b, c);
}
__device__ inline TS_BITS ts_bits(TS_BITS k) {
  return k;
}
__device__ inline TS_BITS ts_to_bits(double v) {
  return static_cast<TS_BITS>(__double_as_longlong(v));
}
__device__ inline double ts_from_bits(TS_BITS b) {
  return __longlong_as_double(static_cast<long long>(b));
}
__device__ inline TS_BITS ts_bits_sub(TS_BITS a, TS_BITS b) {
  return a - b;
}
__device__ inline TS_BITS ts_bits_and(TS_BITS a, TS_BITS b) {
  return a & b;
}
__device__ inline TS_BITS ts_bits_or(TS_BITS a, TS_BITS b) {
  return a | b;
}
__device__ inline TS_BITS ts_bits_xor(TS_BITS a, TS_BITS b) {
  return a ^ b;
}
__device__ inline TS_BITS ts_bits_shift_52(TS_BITS a) {
  return a >> 52;
}
// The low 64 bits of a b + c + d; the others go to *high.
__device__ __forceinline__ std::uint64_t ts_multiply_add(std::uint64_t a, std::uint64_t b,
                                                         std::uint64_t c, std::uint64_t d,
                                                         std::uint64_t* high) {
  __extension__ using Product = unsigned __int128;
  const Product sum = static_cast<Product>(a) * b + c + d;
  *high = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}
__device__ inline int ts_leading_zeros(TS_BITS a) {
  return __clzll(static_cast<long long>(a));
}

}  // namespace tessera::kernels
