// Divides a piece of an axis reduction into launches. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/reduce_arguments.hpp"
#include "plan/axis_plan.hpp"

namespace tessera::device::gpu {

/// A contiguous range of elements, and the levels, outputs, terms and offsets of the launch that
/// reduces it.
struct AxisPart {
  std::int64_t first = 0;
  std::int64_t count = 0;
  kernels::TsAxis call{};
};

/// Divides the elements of the piece into parts of at most `max_elements` elements, each with no
/// more levels than a launch supports.
std::vector<AxisPart> parts_of(const plan::AxisPiece& piece, std::int64_t max_elements);

/// Sets the number of threads per output: `lanes`, which read neighbouring elements of a row
/// together, and `splits` of its terms, at most `max_splits`, as long as each thread has enough
/// terms.
void assign_threads(kernels::TsAxis& call, std::int64_t max_splits);

}  // namespace tessera::device::gpu
