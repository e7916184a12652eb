/* The kernels of plain pixels as an OpenCL C 1.2 program with fp64. TS_ONE_KERNEL says which. The build joins this file
 * and its includes into one string (cmake/EmbedSource.cmake), so that nothing is read from disk at
 * run time. */

#include "kernels/opencl/words.h"
/* Everything is inlined, so that the constant formula removes the switch over formulas. */
#undef TS_FN
#define TS_FN __attribute__((always_inline)) static
#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/pixel/launch.h"
#include "kernels/pixel/render_kernel.h"
