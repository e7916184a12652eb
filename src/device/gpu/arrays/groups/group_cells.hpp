// The cells of groups in the memory of a GPU (kernels/gpu/group_arguments.h): their parts, and
// their conversion to partial results. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::device::gpu {

/// Where the parts of a cell begin, and where it ends; in words of 32 bits.
struct CellLayout {
  std::uint32_t sum = 0;
  std::uint32_t absolute = 0;
  std::uint32_t squares = 0;
  std::uint32_t order = 0;
  std::uint32_t words = 0;

  std::size_t bytes() const { return std::size_t{words} * sizeof(kernels::TS_U32); }
};
CellLayout cell_layout(const statistics::ReductionSpec& spec);

/// Adds a cell to the partial result of a group.
void add_cell(std::span<const kernels::TS_U32> cell, const CellLayout& layout,
              const statistics::ReductionSpec& spec, std::size_t group,
              statistics::GroupPartials& all);

/// Adds the elements that are outside of the window to the sums of their groups, `groups[i]` that
/// of element i.
void add_outside(std::span<const std::uint32_t> groups, std::span<const std::byte> elements,
                 const statistics::GroupSpec& group_spec, statistics::GroupPartials& all);

}  // namespace tessera::device::gpu
