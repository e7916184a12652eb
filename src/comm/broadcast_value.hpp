// The gather rank's value on every rank.
#pragma once

#include "base/bytes.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: returns the gather rank's `value`, anything that base::to_bytes() takes.
template <class T>
T broadcast_value(World& world, const T& value) {
  return base::from_bytes<T>(world.broadcast(base::to_bytes(value)));
}

}  // namespace tessera::comm
