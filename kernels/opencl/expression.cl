/* The parts of an expression as an OpenCL C 1.2 program with fp64. The kernel itself is written for
 * each expression (src/device/opencl/expression_source.hpp) and follows this text. */

#include "kernels/opencl/words.h"
#include "kernels/opencl/elements.h"
/* clang-format off */
#include "kernels/opencl/functions.h"
/* clang-format on */
#include "kernels/gpu/reduce_arguments.h"
#include "kernels/gpu/expression_arguments.h"
#include "kernels/gpu/expression.h"
