// CUDA C++ definitions for reductions: those that kernels/gpu/reduce.h needs besides
// kernels/cuda/words.h.
#pragma once

#include "kernels/cuda/words.h"

// Everything is inlined, so that loops keep their values in registers.
#undef TS_FN
#define TS_FN __device__ __forceinline__

#define TS_ALL_KERNELS
#define TS_I64 long long
#define TS_IN_LOCAL
#define TS_MUL_HIGH(a, b) __umul64hi((a), (b))
#define TS_LEADING_ZEROS(x) __clzll(static_cast<long long>(x))
#define TS_ATOMIC_ADD_64(p, v) \
  atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v))
#define TS_COUNT_LOCAL(p) atomicAdd((p), 1U)
#define TS_PAIR ulonglong2
#define TS_LOAD(p) __ldg(p)
#define TS_WIDEN_F32(bits) static_cast<double>(__uint_as_float(bits))
#define TS_ROLLED _Pragma("unroll 1")
