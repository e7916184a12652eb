// kernels/gpu/expression_arguments.h for C++.
#pragma once

#include <iterator>
#include <string_view>

#include "kernels/pixel/tile.hpp"

namespace tessera::kernels {

#include "kernels/gpu/expression_arguments.h"

struct OperationRow {
  std::string_view name;
  int arguments = 0;
};

#define TS_ONE(name, ...) OperationRow{#name, 1},
#define TS_TWO(name, ...) OperationRow{#name, 2},
#define TS_THREE(name) OperationRow{#name, 3},
/// Indexed by TsOperation.
inline constexpr OperationRow kOperations[] = {{"load", 0},
                                               {"constant", 0},
                                               {"cast", 1},
                                               TS_OPERATIONS(TS_ONE, TS_TWO, TS_THREE)
                                                   TS_FUNCTIONS(TS_ONE, TS_TWO)};
#undef TS_ONE
#undef TS_TWO
#undef TS_THREE
static_assert(std::size(kOperations) == TS_ON_NOTHING);

}  // namespace tessera::kernels
