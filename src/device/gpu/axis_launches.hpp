// A piece of an axis reduction as launches. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/reduce_arguments.hpp"
#include "plan/axis_plan.hpp"

namespace tessera::device::gpu {

/// Elements in a row, and of what they are: levels, outputs, terms and where they begin.
struct AxisPart {
  std::int64_t first = 0;
  std::int64_t count = 0;
  kernels::TsAxis call{};
};

/// All elements of the piece, in parts of `most_elements` or fewer and with no more levels than a
/// launch takes.
std::vector<AxisPart> parts_of(const plan::AxisPiece& piece, std::int64_t most_elements);

/// Threads for each output of a launch: as many in a row as read from one line of memory, and as
/// many splits, `most_splits` at most, as have enough to do.
void share_out(kernels::TsAxis& call, std::int64_t most_splits);

}  // namespace tessera::device::gpu
