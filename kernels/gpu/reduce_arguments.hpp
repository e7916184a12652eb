// kernels/gpu/reduce_arguments.h for C++.
#pragma once

#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

#include "kernels/gpu/axis_arguments.h"
#include "kernels/gpu/group_arguments.h"
#include "kernels/gpu/key_arguments.h"
#include "kernels/gpu/reduce_arguments.h"

}  // namespace tessera::kernels
