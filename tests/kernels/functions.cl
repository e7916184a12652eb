/* Each function of kernels/functions for an array of arguments. */

#include "kernels/opencl/words.h"
#include "kernels/opencl/functions.h"
#include "kernels/functions/list.h"

/* x[i] = f(x[i]) or f(x[i], y[i]), where `function` is a row of the table. */
__kernel void apply_function(uint function, __global double* x, __global const double* y, ulong count) {
  const ulong i = get_global_id(0);
  if (i >= count) return;
  uint row = 0;
#define TS_ONE(name, Name) \
  if (function == row++) x[i] = tf_##name(x[i]);
#define TS_TWO(name, Name) \
  if (function == row++) x[i] = tf_##name(x[i], y[i]);
  TS_FUNCTIONS(TS_ONE, TS_TWO)
}
