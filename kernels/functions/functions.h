/* All functions, for a number type that the entry file defines (pairs.h). Each file includes the
 * one before it. */

#include "kernels/functions/arcs.h"
