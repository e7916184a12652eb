// Reads a piece of an array into memory, for any storage layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/file/page_buffer.hpp"
#include "codec/chunk.hpp"
#include "plan/method_chooser.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread. Data that need no decoding are either read or
/// memory-mapped; the reader measures which way is faster for this file, system and reduction.
class PieceReader {
 public:
  /// `view_bytes`: size of a memory-mapped view; 0 = no view.
  explicit PieceReader(const store::ArraySource& source, std::size_t view_bytes = kViewBytes);

  /// Returns the elements in native byte order, valid until the next call. The pieces up to `end`
  /// are expected to be read next, in order. Throws base::Error (failed) that names the array, and
  /// the chunk if it is damaged.
  std::span<const std::byte> read(std::int64_t piece, std::int64_t end);
  /// Ends the current sequence of pieces: nothing that was returned is used any more.
  void release();

  /// Upper bound of the memory of a reader of that array, without a view.
  static std::uint64_t memory_bytes(const store::ArraySource& source);
  /// A few pages of 2 MiB, which are the cheapest to map.
  // crossed by: test_pieces_of_a_file, BringsTheSameWhetherItCopiesOrLooks
  static constexpr std::size_t kViewBytes = std::size_t{8} << 20;

 private:
  enum Way : std::size_t { copied, viewed };

  /// Consecutive pieces that are read or viewed in the same way, with the time for reading and
  /// reducing them.
  struct Window {
    std::int64_t next = 0;
    std::int64_t end = 0;
    std::size_t way = copied;
    std::span<const std::byte> rest;  ///< of a view: the elements of the pieces from `next` on
    std::uint64_t bytes = 0;
    base::Clock::time_point begun;
  };

  void open_window(std::int64_t piece, std::int64_t end);
  std::span<const std::byte> decode(std::int64_t piece, std::int64_t end,
                                    const store::ChunkCoding& coding);
  std::span<const std::byte> decode_anew(std::int64_t piece, std::int64_t end,
                                         const store::ChunkCoding& coding);
  const store::StoredChunk& stored_chunk(std::int64_t piece, std::int64_t end);
  codec::ChunkDecoder& decoder_for(const codec::Filters& filters);

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  std::size_t view_bytes_;
  base::PageBuffer elements_;
  Window window_;
  std::optional<store::ElementView> view_;
  plan::MethodChooser ways_;
  store::StoredChunks stored_;
  std::int64_t first_stored_ = 0;  ///< piece of the first chunk in stored_
  std::optional<codec::ChunkDecoder> decoder_;
  codec::Filters decoded_;  ///< those of decoder_; joined files may have different ones
  std::int64_t held_ = -1;  ///< the piece that was decoded last, which boxes may ask for again
  std::span<const std::byte> held_elements_;
};

/// Moves the elements of `extent`, the part of the chunk that is inside the array, to the front.
void clip_chunk(std::span<std::byte> chunk, const job::Shape& chunk_shape, const job::Shape& extent,
                std::size_t element_bytes);

}  // namespace tessera::reduce
