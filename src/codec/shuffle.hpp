// HDF5's byte shuffle (H5Z_FILTER_SHUFFLE): first bytes of all elements, then all second bytes, ...
#pragma once

#include <cstddef>
#include <span>

namespace tessera::codec {

/// Made for elements of 2 and 4 bytes, unshuffle() for 8 as well; others take longer. Bytes behind
/// the last whole element stay where they are, as HDF5 leaves them. `from` and `to` have the same
/// size and do not overlap.
void shuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to);

/// The inverse of shuffle().
void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to);

}  // namespace tessera::codec
