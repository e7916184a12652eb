// The gather rank's value on every rank.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "base/bytes.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// Collective: returns the gather rank's `value`. T is a plain value, or a string or vector of
/// plain values.
template <class T>
T broadcast_value(World& world, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return base::ByteReader(world.broadcast(base::ByteWriter().put(value).take())).get<T>();
  } else {
    const auto mine = std::as_bytes(std::span(value));
    const base::Bytes bytes = world.broadcast({mine.begin(), mine.end()});
    T received(bytes.size() / sizeof(typename T::value_type), {});
    if (!bytes.empty()) std::memcpy(received.data(), bytes.data(), bytes.size());
    return received;
  }
}

}  // namespace tessera::comm
