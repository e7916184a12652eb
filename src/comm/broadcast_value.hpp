// The gather rank's value on every rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: returns the gather rank's `value`, anything that base::to_bytes() takes.
template <class T>
T broadcast_value(World& world, const T& value) {
  return base::from_bytes<T>(world.broadcast(base::to_bytes(value)));
}

/// Collective: the same for a value of any size. The gather rank holds one copy of it for all
/// ranks, and a short message for each.
template <class T>
T broadcast_long_value(World& world, T value) {
  // crossed by: broadcasts_values_of_any_size
  constexpr std::size_t kMessageBytes = std::size_t{4} << 20;
  if (world.size() == 1) return value;
  base::Bytes bytes;
  if (world.is_root()) bytes = base::to_bytes(value);
  bytes.resize(broadcast_value(world, bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); at += kMessageBytes) {
    const auto part = std::span(bytes).subspan(at, std::min(kMessageBytes, bytes.size() - at));
    const base::Bytes sent =
        world.broadcast(world.is_root() ? base::Bytes(part.begin(), part.end()) : base::Bytes{});
    std::ranges::copy(sent, part.begin());
  }
  return world.is_root() ? std::move(value) : base::from_bytes<T>(bytes);
}

}  // namespace tessera::comm
