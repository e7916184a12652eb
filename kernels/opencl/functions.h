/* The functions of kernels/functions in OpenCL C: tf_exp, ... They need kernels/opencl/words.h. */

#define ts_equal(a, b) ((a) == (b))
#define ts_not(a) (!(a))
#define TS_CONSTANTS __constant const double*
#define TS_TABLE(name, count) __constant const double name[count]

/* clang-format off */
#include "kernels/functions/one_number.h"
#include "kernels/functions/tables.h"
#include "kernels/functions/functions.h"
/* clang-format on */
