// Bitshuffle (K. Masui et al., 2015): bits of elements by their significance, in blocks that may be
// compressed.
#pragma once

#include <cstddef>
#include <span>

#include "codec/filter.hpp"
#include "codec/scratch.hpp"
#include "codec/zstd.hpp"

namespace tessera::codec {

/// Both sizes are the same: a multiple of eight elements. `planes` has bit k of byte b of all
/// elements at 8 b + k times their eighth. One per thread.
class BitUnshuffler {
 public:
  void undo(std::span<const std::byte> planes, std::size_t element_bytes, std::span<std::byte> to);

 private:
  Scratch bytes_;
};

/// HDF5's filter 32008. One per thread.
class BitshuffleDecoder {
 public:
  /// `filter` is one of the bitshuffles. Decodes into `out`, which must have exactly the decoded
  /// size. Throws base::Error (failed) that describes the damage.
  void decode(const Filter& filter, std::span<const std::byte> stream, std::span<std::byte> out);

 private:
  void decode_plain(const Filter& filter, std::span<const std::byte> stream,
                    std::span<std::byte> out);
  void decode_compressed(const Filter& filter, std::span<const std::byte> stream,
                         std::span<std::byte> out);

  BitUnshuffler bits_;
  ZstdDecoder zstd_;
  Scratch block_;
};

}  // namespace tessera::codec
