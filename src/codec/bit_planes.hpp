// Bits of bytes, apart and together: plane k holds bit k (the least significant first) of every
// byte, eight bytes of the data a byte.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Joins the eight planes of `to`; its size is a multiple of 8. Plane k begins at k * stride_bytes.
void join_bit_planes(const std::byte* planes, std::size_t stride_bytes, std::span<std::byte> to);

}  // namespace tessera::codec
