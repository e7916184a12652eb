/* Reductions of arrays on GPUs, written once in the subset that CUDA C++ and OpenCL C share. An
 * entry file (kernels/cuda/reduce.cu, kernels/opencl/reduce.cl) defines what
 * kernels/pixel/render_kernel.h needs, and
 *
 *   TS_IN_LOCAL                    qualifier of data in shared memory, for pointers to it
 *   TS_ATOMIC_ADD_64(p, v)         adds to a TS_U64 in global memory
 *   TS_COUNT_LOCAL(p)              adds 1 to a TS_U32 in shared memory
 *   TS_MUL_HIGH(a, b)              upper 64 bits of a product
 *   TS_LEADING_ZEROS(x)            of a TS_U64 that is not 0
 *   TS_I64                         signed integer of 64 bits
 *   TS_PAIR TS_LOAD(p)             two TS_U64, .x and .y, and a load of all 16 bytes at once
 *   TS_WIDEN_F32(bits)             the f64 of the same value, also for subnormal numbers
 *   TS_ROLLED                      before a loop that is not to be unrolled
 *
 * Then it includes kernels/gpu/reduce_arguments.h, kernels/gpu/generate.h, this text and
 * kernels/gpu/reduce_kernels.h.
 *
 * Sums are exact. A thread keeps them as expansions, unevaluated sums of f64, with the error-free
 * addition of T. J. Dekker and D. E. Knuth. What an expansion cannot hold is added to a fixed-point
 * number by integer atomics. Sums alone have other methods, too (kernels/gpu/windows.h,
 * kernels/gpu/sum_f64.h). docs/numerics-sums.md, "Sums". */

#include "kernels/gpu/load.h"
#include "kernels/gpu/words.h"
