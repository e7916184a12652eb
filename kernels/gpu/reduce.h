/* Reductions of arrays on GPUs, written once in the subset that CUDA C++ and OpenCL C share. An
 * entry file (cuda_reduce.cu, opencl_reduce.cl) defines, beside what kernels/pixel/render_kernel.h
 * asks for,
 *
 *   TS_IN_LOCAL                    qualifier of what a pointer to group memory points to
 *   TS_ATOMIC_ADD_64(p, v)         on a TS_U64 in global memory
 *   TS_COUNT_LOCAL(p)              adds 1 to a TS_U32 in group memory
 *   TS_MUL_HIGH(a, b)              upper 64 bits of a product
 *   TS_LEADING_ZEROS(x)            of a TS_U64 that is not 0
 *   TS_I64                         64 bits with a sign
 *   TS_PAIR TS_LOAD(p)             two TS_U64, .x and .y, and how they are read, 16 bytes at once
 *   TS_WIDEN_F32(bits)             the f64 of the same value, of subnormal numbers too
 *   TS_UNROLLED TS_ROLLED          before a loop: whether to unroll it
 *
 * includes kernels/gpu/reduce_arguments.h, kernels/gpu/generate.h and this text, and then
 * kernels/gpu/reduce_kernels.h.
 *
 * Sums are exact: a thread keeps them as expansions, unevaluated sums of f64, by T. J. Dekker and
 * D. E. Knuth's error-free addition; what an expansion does not hold goes into a fixed-point number
 * by integer atomics. docs/numerics.md, "Sums". */

#include "kernels/gpu/load.h"
