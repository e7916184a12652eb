/* The kernels as an OpenCL C 1.2 program with fp64. The build joins this text and what it includes
 * into one string (cmake/embed_source.cmake); nothing is read from disk at run time. */

#include "kernels/opencl_words.h"
#include "kernels/pixel/tile.h"
#include "kernels/pixel/render_kernel.h"
