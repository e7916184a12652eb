// Encodes and decodes chunks exactly as HDF5's filters and Zarr's codecs, but without their
// libraries, so that worker threads can do it: shuffle and deflate in both directions, the others
// when reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/checksum.hpp"
#include "base/element.hpp"
#include "codec/filter.hpp"

namespace tessera::codec {

using base::crc32c;

/// filter_mask bits, as H5Dwrite_chunk takes them: bit i set = filter i of the pipeline was
/// skipped.
inline constexpr std::uint32_t kAllFilters = 0;
inline constexpr std::uint32_t kShuffleSkipped = 0b01;
inline constexpr std::uint32_t kDeflateSkipped = 0b10;
inline constexpr std::uint32_t kNoFilters = kShuffleSkipped | kDeflateSkipped;

struct EncodedChunk {
  std::vector<std::byte> bytes;
  std::uint32_t filter_mask = kAllFilters;
};

/// One per worker thread; keeps its scratch buffers between chunks.
class ChunkEncoder {
 public:
  /// level 0: stored unchanged (kNoFilters); 1: ISA-L igzip level 1; 2: libdeflate 6; 3: libdeflate
  /// 12.
  ChunkEncoder(base::ElementType type, int level);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  /// Encodes `raw`, a whole chunk (edge tiles padded). A chunk that would not shrink is returned
  /// raw with kNoFilters. A chunk of one repeated value costs one pass over it, because its bytes
  /// are remembered.
  EncodedChunk encode(std::span<const std::byte> raw);
  /// Encodes `planes`, a whole chunk that is shuffled already: byte b of element e at b * elements
  /// + e. A chunk that would not shrink is returned unchanged with kDeflateSkipped. Not for level
  /// 0.
  EncodedChunk encode_shuffled(std::span<const std::byte> planes);
  /// Encodes a chunk of `raw_bytes` that repeats `value` (one element), without needing the raw
  /// chunk. Inflates to the same bytes as the result of encode().
  EncodedChunk encode_uniform(std::span<const std::byte> value, std::size_t raw_bytes);

  /// Upper bound of the memory of an encoder of that level and its result, after encode() of chunks
  /// of `raw_bytes`.
  static std::size_t memory_bytes(std::size_t raw_bytes, int level);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ChunkDecoder {
 public:
  /// Shuffle, then deflate.
  explicit ChunkDecoder(base::ElementType type);
  /// `filters` must have sizes_are_known().
  explicit ChunkDecoder(Filters filters);
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  /// Decodes into `raw`, which must have the chunk's size. Bit i of `filter_mask`: filter i was
  /// skipped. Takes memory by the chunk's size only, whatever sizes the stored bytes claim. Throws
  /// base::Error (failed) that describes the damage (wrong length, bad stream, wrong checksum).
  void decode(std::span<const std::byte> stored, std::uint32_t filter_mask,
              std::span<std::byte> raw);

  /// Upper bound of the memory of a decoder, after decode() of chunks of `raw_bytes`.
  static std::size_t memory_bytes(std::span<const Filter> filters, std::size_t raw_bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codec
