// Snappy's raw format, as Blosc stores it.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Decodes into `out`, which must have exactly the decoded size. Throws base::Error (failed) that
/// describes the damage; reads and writes nothing outside of both spans.
void decode_snappy(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace tessera::codec
