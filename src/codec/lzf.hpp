// LZF (Marc Lehmann's liblzf), as h5py's filter stores chunks: a stream without a head or checksum.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Bytes that a stream decodes to. Throws base::Error (failed) if it ends within a token.
std::size_t lzf_decoded_bytes(std::span<const std::byte> stream);

/// Decodes into `out`, which must have exactly the decoded size. Throws base::Error (failed) that
/// describes the damage; reads and writes nothing outside of both spans.
void decode_lzf(std::span<const std::byte> stream, std::span<std::byte> out);

}  // namespace tessera::codec
