// BloscLZ, Blosc's own compressor: FastLZ (level 2) without a head.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Decodes into `out`, which must have exactly the decoded size. Throws base::Error (failed) that
/// describes the damage; reads and writes nothing outside of both spans.
void decode_blosclz(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace tessera::codec
