// Converts the cells of outputs along axes (kernels/gpu/axis_arguments.h) to partial results. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/reduce_arguments.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device::gpu {

/// The limbs of a slot (kernels/gpu/reduce_arguments.h) that the sums of a specification need for
/// each output.
struct SpillRange {
  std::uint32_t first = 0;
  std::uint32_t limbs = 0;
};
SpillRange spill_of(const statistics::ReductionSpec& spec);

/// The data read after a round: the cells of one split after another; spill limbs and bins of one
/// output after another. `spill` is empty if no cell has spilled.
struct CellsResult {
  std::span<const kernels::TsReduced> cells;
  std::span<const kernels::TS_U64> spill;
  std::span<const kernels::TS_U64> bins;
  std::uint32_t round = 0;
  std::int64_t terms = 0;  ///< elements per output
};

/// Adds the result to `to`, which has as many outputs as the cells.
void add_cells(const CellsResult& result, const statistics::OutputSpec& output_spec,
               statistics::OutputPartials& to);

/// Counts of NaN and infinities, summed over all outputs.
statistics::SpecialCounts specials_of(const statistics::OutputPartials& partials);

}  // namespace tessera::device::gpu
