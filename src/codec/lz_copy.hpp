// How decoders of the LZ77 family repeat what they have decoded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera::codec {

/// Copies `bytes` from `distance` before `to`. The ranges overlap where a pattern repeats. Eight
/// bytes at a time are right from a distance of eight on; what they write too much is within `room`
/// and is overwritten later.
inline void copy_back(std::byte* to, std::size_t distance, std::size_t bytes, std::size_t room) {
  const std::byte* from = to - distance;
  if (distance >= 8 && room >= bytes + 8) {
    for (std::size_t i = 0; i < bytes; i += 8) std::memcpy(to + i, from + i, 8);
    return;
  }
  constexpr std::size_t kShort = 32;
  if (bytes < kShort) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
    return;
  }
  for (std::size_t done = 0; done < bytes;) {  // what is there already, twice as much each time
    const std::size_t piece = std::min(distance + done, bytes - done);
    std::memcpy(to + done, from, piece);
    done += piece;
  }
}

}  // namespace tessera::codec
