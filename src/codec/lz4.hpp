// Decodes LZ4 blocks in the frames that arrays have them in; the only caller of liblz4.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// False in a build without liblz4, where these throw.
bool has_lz4();

/// All decode into `out`, which must have exactly the decoded size, and throw base::Error (failed)
/// that describes the damage.

/// A block without a head.
void decode_lz4_block(std::span<const std::byte> block, std::span<std::byte> out);
/// HDF5's filter 32004: size (8 bytes) and size of a block (4), then each block behind its stored
/// size (4), all big-endian. A block of its full size is not compressed.
void decode_lz4_blocks(std::span<const std::byte> stream, std::span<std::byte> out);
/// numcodecs': the size in 4 bytes, little-endian, and a block.
void decode_lz4_sized(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace tessera::codec
