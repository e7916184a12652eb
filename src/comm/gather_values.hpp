// A value of each rank on the gather rank.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: returns the values of all ranks on the gather rank, in rank order and without those
/// of skipped ranks; empty elsewhere. T is anything that base::to_bytes() takes.
template <class T>
std::vector<T> gather_values(World& world, const T& mine) {
  std::vector<T> values;
  for (const base::Bytes& part : world.gather(base::to_bytes(mine))) {
    if (world.is_root() && !part.empty()) values.push_back(base::from_bytes<T>(part));
  }
  return values;
}

}  // namespace tessera::comm
