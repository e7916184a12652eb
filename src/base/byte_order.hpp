// Swaps the byte order of elements in place.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::base {

/// `element_bytes` is 1, 2, 4 or 8.
void swap_byte_order(std::span<std::byte> bytes, std::size_t element_bytes);

}  // namespace tessera::base
