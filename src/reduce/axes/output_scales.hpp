// The scales of the dimensions that arrays of --axis and of map have.
#pragma once

#include "reduce/axes/axis_work.hpp"

namespace tessera::reduce {

/// Reads the coordinates of the dimensions that are kept, for the arrays of the task.
void set_scales(AxisReduction& task);

}  // namespace tessera::reduce
