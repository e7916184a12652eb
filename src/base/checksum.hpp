// The checksum of everything that is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::base {

/// CRC-32C (Castagnoli, RFC 3720) of `bytes`, continued from `crc`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

}  // namespace tessera::base
