// Huffman codes of deflate (RFC 1951, 3.2.2): limited in length, canonical.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::codec {

/// Code lengths in bits, 0 for symbols that do not occur; none longer than `limit`. The code is
/// complete and, unless the limit bites, of minimum redundancy. At least two of `counts` must not
/// be zero, and all must have room under the limit.
void huffman_lengths(std::span<const std::uint32_t> counts, unsigned limit,
                     std::span<std::uint8_t> lengths);

/// The codes that belong to the lengths, first bit lowest as deflate packs them.
void huffman_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

}  // namespace tessera::codec
