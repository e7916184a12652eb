// The checksum of HDF5's filter fletcher32.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// The bytes before the checksum at the end of `checked`. Throws base::Error (failed) if it is
/// wrong.
std::span<const std::byte> check_fletcher32(std::span<const std::byte> checked);

/// Bytes of the checksum.
inline constexpr std::size_t kFletcher32Bytes = 4;

}  // namespace tessera::codec
