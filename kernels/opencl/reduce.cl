/* The reduction kernels as an OpenCL C 1.2 program with fp64. A separate program, which is compiled
 * only when an array is reduced. */

#include "kernels/opencl/words.h"

#define TS_I64 long
#define TS_IN_LOCAL __local
#define TS_MUL_HIGH(a, b) mul_hi((ulong)(a), (ulong)(b))
#define TS_LEADING_ZEROS(x) clz((ulong)(x))
#define TS_PAIR ulong2
#define TS_LOAD(p) (*(p))
#define TS_COUNT_LOCAL(p) atomic_inc(p)
#define TS_UNROLLED
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

/* A device may flush subnormal f32 to zero, but not subnormal f64. */
static double ts_widen_f32(uint bits) {
  if ((bits & 0x7F800000) == 0) {
    const double size = (double)(bits & 0x7FFFFF) * 0x1p-149;
    return bits >> 31 != 0 ? -size : size;
  }
  return (double)as_float(bits);
}
#define TS_WIDEN_F32(bits) ts_widen_f32(bits)

#include "kernels/pixel/tile.h"
#include "kernels/gpu/reduce_arguments.h"
#include "kernels/gpu/axis_arguments.h"
#include "kernels/gpu/generate.h"
#include "kernels/gpu/reduce.h"
#include "kernels/gpu/reduce_kernels.h"
