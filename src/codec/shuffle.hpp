// HDF5's byte shuffle (H5Z_FILTER_SHUFFLE): first bytes of all elements, then all second bytes, ...
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Optimised for elements of 2 and 4 bytes, unshuffle() for 8 as well; other sizes are slower.
/// Bytes after the last whole element stay in place, as in HDF5. `from` and `to` have the same size
/// and must not overlap.
void shuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to);

/// The inverse of shuffle().
void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to);

}  // namespace tessera::codec
