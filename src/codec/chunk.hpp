// Chunk bytes: byte shuffle + deflate exactly as HDF5's stock filters (shuffle, deflate) expect
// them, made and read without the HDF5 library so that worker threads can do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/element.hpp"

namespace tessera::codec {

/// CRC-32C (Castagnoli, RFC 3720) of `bytes`, continuing from `crc`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

/// filter_mask bits as H5Dwrite_chunk takes them: bit i set = filter i of the pipeline was skipped.
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
  /// level 0: stored as it is (kNoFilters); 1: ISA-L igzip level 1; 2: libdeflate 6; 3:
  /// libdeflate 12.
  ChunkEncoder(base::ElementType type, int level);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  /// `raw` is a whole chunk (edge tiles padded). A chunk that would not shrink comes back raw with
  /// kNoFilters. A chunk of one repeated value costs one pass over it (its bytes are remembered).
  EncodedChunk encode(std::span<const std::byte> raw);
  /// `planes` is a whole chunk that is shuffled already: byte b of element e at b * elements + e.
  /// What would not shrink comes back as it is with kDeflateSkipped. Not for level 0.
  EncodedChunk encode_shuffled(std::span<const std::byte> planes);
  /// A chunk of `raw_bytes` that is `value` (one element) throughout, without anybody having had to
  /// write it out; what encode() makes of such a chunk inflates to the same.
  EncodedChunk encode_uniform(std::span<const std::byte> value, std::size_t raw_bytes);

  /// Upper bound of what an encoder of that level and its result hold after encode() of chunks of
  /// `raw_bytes`.
  static std::size_t memory_bytes(std::size_t raw_bytes, int level);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ChunkDecoder {
 public:
  explicit ChunkDecoder(base::ElementType type);
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  /// Fills `raw`, whose size must be the chunk's; throws base::Error (failed) saying what is wrong
  /// with damaged bytes (wrong length, bad stream, bad Adler-32).
  void decode(std::span<const std::byte> stored, std::uint32_t filter_mask,
              std::span<std::byte> raw);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::codec
