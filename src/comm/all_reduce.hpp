// Reduces one value per rank to a single value.
#pragma once

#include "comm/broadcast_value.hpp"
#include "comm/gather_values.hpp"

namespace tessera::comm {

/// Collective: returns join(join(a, b), c) ... of the ranks' values in rank order, on every rank.
/// Skipped ranks are left out.
template <class T, class Join>
T all_reduce(World& world, const T& mine, Join join) {
  const std::vector<T> values = gather_values(world, mine);
  T joined = mine;
  for (std::size_t i = 1; i < values.size(); ++i) joined = join(joined, values[i]);
  return broadcast_value(world, joined);
}

}  // namespace tessera::comm
