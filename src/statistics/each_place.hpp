// Visits the elements of a piece of a tile.
#pragma once

#include <cstdint>
#include <span>

#include "plan/axis_plan.hpp"

namespace tessera::statistics {

/// Where the elements of a piece belong: calls visit(output, index in it) for each, in the order of
/// memory. `output` and `index`: 0 and the first index of the piece.
template <class Visit>
void for_each_place(std::span<const plan::AxisLevel> levels, std::int64_t output,
                    std::int64_t index, const Visit& visit) {
  if (levels.empty()) return visit(output, index);
  const plan::AxisLevel& level = levels.front();
  for (std::int64_t i = 0; i < level.extent; ++i) {
    for_each_place(levels.subspan(1), output + i * level.output_step, index + i * level.index_step,
                   visit);
  }
}

}  // namespace tessera::statistics
