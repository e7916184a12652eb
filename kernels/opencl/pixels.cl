/* The kernels as an OpenCL C 1.2 program with fp64. The build joins this text and what it includes
 * into one string (cmake/EmbedSource.cmake); nothing is read from disk at run time. */

#include "kernels/opencl/words.h"
/* The choice of a formula folds only where everything is in the kernel itself. */
#undef TS_FN
#define TS_FN __attribute__((always_inline)) static
#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/pixel/render_kernel.h"
#include "kernels/gpu/bench_kernels.h"
