// A piece of an array as elements in memory, however it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "codec/chunk.hpp"
#include "store/array_source.hpp"

namespace tessera::run {

/// One per worker thread.
class PieceReader {
 public:
  explicit PieceReader(const store::ArraySource& source);

  /// Elements in this machine's byte order, until the next call. Throws base::Error (failed) naming
  /// the array, and the chunk if it is damaged.
  std::span<const std::byte> read(std::int64_t piece);

  /// Bound of what a reader of that array holds.
  static std::uint64_t memory_bytes(const store::ArraySource& source);

 private:
  std::span<const std::byte> decode(std::int64_t piece, const store::ChunkCoding& coding);

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  base::Bytes elements_;
  base::Bytes stored_;
  std::optional<codec::ChunkDecoder> decoder_;
};

/// Moves the elements of `extent`, the part of a chunk that lies in its array, to the front.
void clip_chunk(std::span<std::byte> chunk, const job::Shape& chunk_shape, const job::Shape& extent,
                std::size_t element_bytes);

}  // namespace tessera::run
