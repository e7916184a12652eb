// One number from those of all ranks.
#pragma once

#include "base/bytes.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: join(join(a, b), c) ... of the ranks' numbers in order, the same on every rank.
/// Those of ranks that are skipped are left out.
template <class T, class Join>
T fold(comm::World& world, T mine, Join join) {
  base::ByteWriter out;
  T joined = mine;
  const auto parts = world.gather(out.put(mine).take());
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    if (parts[rank].empty()) continue;
    joined = join(joined, base::ByteReader(parts[rank]).get<T>());
  }
  base::ByteWriter told;
  const base::Bytes everywhere = world.broadcast(told.put(joined).take());
  return base::ByteReader(everywhere).get<T>();
}

}  // namespace tessera::comm
