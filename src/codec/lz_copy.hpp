// How decoders of the LZ77 family repeat what they have decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace tessera::codec {

/// Copies `bytes` from `distance` (not 0) before `to`. The ranges overlap where a pattern repeats.
/// Eight bytes at a time are right from a distance of eight on; what they write too much is within
/// `room` and is overwritten later.
inline void copy_back(std::byte* to, std::size_t distance, std::size_t bytes, std::size_t room) {
  constexpr std::size_t kWord = 8;
  const std::byte* const from = to - distance;
  if (room < bytes + kWord) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  } else if (distance >= kWord) {
    for (std::size_t i = 0; i < bytes; i += kWord) std::memcpy(to + i, from + i, kWord);
  } else {
    // The smallest multiple of each distance that is a word at least: as far back it is the same.
    constexpr std::array<std::size_t, kWord> kMultiples = {0, 8, 8, 9, 8, 10, 12, 14};
    for (std::size_t i = 0; i < kWord; ++i) to[i] = from[i];
    const std::byte* const same = to - kMultiples[distance];
    for (std::size_t i = kWord; i < bytes; i += kWord) std::memcpy(to + i, same + i, kWord);
  }
}

}  // namespace tessera::codec
