// Frames of Blosc 1 (format versions 1 and 2): blocks of shuffled, compressed elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/bitshuffle.hpp"
#include "codec/inflater.hpp"
#include "codec/scratch.hpp"
#include "codec/zstd.hpp"

namespace tessera::codec {

/// One per thread. Decodes by itself rather than by libblosc, which inflates by zlib, 2.5 times as
/// slowly, and allocates what a frame claims.
class BloscDecoder {
 public:
  /// Decodes into `out`, which must have exactly the decoded size. Throws base::Error (failed) that
  /// describes the damage.
  void decode(std::span<const std::byte> frame, std::span<std::byte> out);

 private:
  struct Head;
  /// `block` and what is behind it in the frame, into `out`.
  void decode_block(const Head& head, std::span<const std::byte> block, std::span<std::byte> out);
  void decompress(const Head& head, std::span<const std::byte> block, std::span<std::byte> out);
  void decompress_part(unsigned compressor, std::span<const std::byte> stream,
                       std::span<std::byte> out);

  Inflater inflater_;
  ZstdDecoder zstd_;
  BitUnshuffler bits_;
  Scratch block_;
};

}  // namespace tessera::codec
