// Reduces one value per rank to a single value.
#pragma once

#include "base/bytes.hpp"
#include "comm/broadcast_value.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: returns join(join(a, b), c) ... of the ranks' values in rank order, on every rank.
/// Skipped ranks are left out.
template <class T, class Join>
T all_reduce(comm::World& world, T mine, Join join) {
  base::ByteWriter out;
  T joined = mine;
  const auto parts = world.gather(out.put(mine).take());
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    if (parts[rank].empty()) continue;
    joined = join(joined, base::ByteReader(parts[rank]).get<T>());
  }
  return broadcast_value(world, joined);
}

}  // namespace tessera::comm
