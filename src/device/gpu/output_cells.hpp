// From what a GPU keeps of each output along axes (kernels/gpu/axis_arguments.h) to partial
// results. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device::gpu {

/// The limbs of an output, of those of a slot (kernels/gpu/reduce_arguments.h), that the goal's
/// sums spill to.
struct SpillRange {
  std::uint32_t first = 0;
  std::uint32_t limbs = 0;
};
SpillRange spill_of(const statistics::ReductionSpec& spec);

/// What a round says: cells of one split after another, and limbs and bins of one output after
/// another. `spill` is empty if no cell says that something was spilled.
struct CellsResult {
  std::span<const kernels::TsReduced> cells;
  std::span<const kernels::TS_U64> spill;
  std::span<const kernels::TS_U64> bins;
  std::uint32_t round = 0;
  std::int64_t terms = 0;  ///< elements of each output
};

/// Adds all of it to `to`, which has the cells' outputs.
void add_cells(const CellsResult& result, const statistics::OutputSpec& output_spec,
               statistics::OutputPartials& to);

/// How many elements are not finite, of all outputs.
statistics::SpecialCounts specials_of(const statistics::OutputPartials& partials);

}  // namespace tessera::device::gpu
