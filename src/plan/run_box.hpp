// Boxes of cells that are runs of consecutive cells. Pure.
#pragma once

#include <cstdint>

#include "plan/array_pieces.hpp"

namespace tessera::plan {

/// The largest box of at most `most` cells for which this holds: if the grid is cut into such boxes
/// from its origin on, each box is a run of consecutive cells in C order, and all runs but the last
/// are equally long. Whole last dimensions, a divisor of the one before them (any number if it is
/// the first with several cells), and 1 before that.
Shape run_box(const Shape& grid, std::int64_t most);

}  // namespace tessera::plan
