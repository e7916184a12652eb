// Inflates a raw deflate stream (RFC 1951) of any length in little memory, as in zip archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tessera::codec {

/// `read` fills its argument with the next bytes of the stream and returns how many there were, 0
/// at its end; `write` receives the inflated bytes. Returns the CRC-32 (of IEEE 802.3) of these.
/// Throws base::Error (failed) for a stream that is damaged, that ends early, or that inflates to
/// other than `bytes`.
std::uint32_t inflate_stream(const std::function<std::size_t(std::span<std::byte>)>& read,
                             const std::function<void(std::span<const std::byte>)>& write,
                             std::uint64_t bytes);

/// CRC-32 (of IEEE 802.3).
std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace tessera::codec
