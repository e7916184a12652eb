/* The reduction kernels as an OpenCL C 1.2 program with fp64. A separate program, which is compiled
 * only when an array is reduced. */

#include "kernels/opencl/words.h"
#include "kernels/opencl/elements.h"

#define TS_IN_LOCAL __local
#define TS_MUL_HIGH(a, b) mul_hi((ulong)(a), (ulong)(b))
#define TS_LEADING_ZEROS(x) clz((ulong)(x))
#define TS_PAIR ulong2
#define TS_LOAD(p) (*(p))
#define TS_COUNT_LOCAL(p) atomic_inc(p)
#define TS_ROLLED

/* OpenCL 1.2 has atomics on 32 bits only. */
static void ts_atomic_add_64(__global ulong* sum, ulong value) {
  __global uint* const halves = (__global uint*)sum;
  const uint low = (uint)value;
  const uint before = atomic_add(&halves[0], low);
  const uint high = (uint)(value >> 32) + (before + low < before ? 1 : 0);
  if (high != 0) atomic_add(&halves[1], high);
}
#define TS_ATOMIC_ADD_64(p, v) ts_atomic_add_64((p), (v))

#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/gpu/reduce_arguments.h"
#include "kernels/gpu/axis_arguments.h"
#include "kernels/gpu/group_arguments.h"
#include "kernels/gpu/key_arguments.h"
#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"
