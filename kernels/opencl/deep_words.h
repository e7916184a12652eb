/* What the kernels of deep pixels in all numbers need, as OpenCL C 1.2 with fp64. */

#include "kernels/opencl/words.h"

#define TS_I64 long

/* clang-format off */
#include "kernels/pixel/pixel_math.h"
#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/pixel/launch.h"
#include "kernels/deep/image.h"
/* clang-format on */
