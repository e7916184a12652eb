/* The kernels of deep pixels in 106 bits as an OpenCL C 1.2 program with fp64. A separate program,
 * which is compiled only when such pixels are many. */

#include "kernels/opencl/words.h"

#define TS_I64 long

#include "kernels/pixel/pixel_math.h"
#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/pixel/launch.h"
#include "kernels/deep/image.h"
#include "kernels/gpu/deep_precise.h"
