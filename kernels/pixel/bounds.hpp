// kernels/pixel/bounds.h for C++.
#pragma once

namespace tessera::kernels {

#include "kernels/pixel/bounds.h"

}  // namespace tessera::kernels
