// Heads of Blosc 1 frames that hold what a ChunkEncoder has made: its zlib stream is what Blosc
// keeps of a block that it has shuffled and compressed by zlib.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tessera::codec {

/// The largest block that libblosc decodes (blosc.h, BLOSC_MAX_BLOCKSIZE).
inline constexpr std::size_t kMaxBloscBlockBytes =
    (std::size_t{std::numeric_limits<int>::max()} - std::size_t{255} * 4) / 3;

/// A frame of one block.
struct BloscBlock {
  std::size_t element_bytes = 1;
  std::size_t raw_bytes = 0;     ///< at most kMaxBloscBlockBytes
  std::size_t stream_bytes = 0;  ///< of the zlib stream of the shuffled elements; 0: stored as is
};

/// The bytes of a frame in front of its stream, or of its stored elements.
std::vector<std::byte> blosc_head(const BloscBlock& block);

/// Whether a frame with the stream is no longer than the one with the stored elements: readers need
/// not take a longer one.
bool fits_blosc(const BloscBlock& block);

}  // namespace tessera::codec
