/* The kernels of `tessera bench` as an OpenCL C 1.2 program with fp64: small, so that opening a
 * device shows at once whether its driver compiles at all. */

#include "kernels/opencl/words.h"
#include "kernels/pixel/formulas.h"
#include "kernels/pixel/tile.h"
#include "kernels/gpu/bench_kernels.h"
