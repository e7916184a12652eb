/* The kernel of deep images as an OpenCL C 1.2 program with fp64. A separate program, which is
 * compiled only when such an image is rendered. */

#include "kernels/opencl/deep_words.h"
#include "kernels/gpu/deep.h"
