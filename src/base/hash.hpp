// A short hash of a text, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::base {

/// 64-bit FNV-1a (Fowler, Noll and Vo, draft-eastlake-fnv). Not for secrets.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace tessera::base
