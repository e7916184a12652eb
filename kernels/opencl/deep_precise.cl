/* The kernels of deep pixels in 106 bits as an OpenCL C 1.2 program with fp64. A separate program,
 * which is compiled only when such pixels are many. */

#include "kernels/opencl/deep_words.h"
#include "kernels/gpu/deep_precise.h"
