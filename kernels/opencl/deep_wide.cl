/* The kernel of deep pixels in 190 bits as an OpenCL C 1.2 program with fp64. A separate program,
 * which is compiled only when such pixels are several. */

#include "kernels/opencl/deep_words.h"

/* The low 64 bits of a b + c + d; the others go to *high. */
TS_FN TS_U64 ts_multiply_add(TS_U64 a, TS_U64 b, TS_U64 c, TS_U64 d, TS_U64* high) {
  TS_U64 low = a * b, above = mul_hi(a, b);
  low += c;
  above += low < c;
  low += d;
  above += low < d;
  *high = above;
  return low;
}

#include "kernels/gpu/deep_wide.h"
