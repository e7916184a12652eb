// A piece of an array as elements in memory, however it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/file/file_view.hpp"
#include "base/file/page_buffer.hpp"
#include "codec/chunk.hpp"
#include "plan/faster_way.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// One per worker thread. What lies in a file as it is wanted is either read or viewed in the page
/// cache, whichever has been the faster with this file, this system and what is done with it.
class PieceReader {
 public:
  /// `view_bytes`: of a view, if there is memory for one.
  explicit PieceReader(const store::ArraySource& source, std::size_t view_bytes = kViewBytes);

  /// Elements in this machine's byte order, until the next call. The pieces up to `end` are those
  /// that are wanted next, in their order. Throws base::Error (failed) naming the array, and the
  /// chunk if it is damaged.
  std::span<const std::byte> read(std::int64_t piece, std::int64_t end);
  /// Nothing of what was read is needed any more, and what comes next may be elsewhere.
  void release();

  /// Bound of what a reader of that array holds, without a view.
  static std::uint64_t memory_bytes(const store::ArraySource& source);
  /// Pages that are mapped in twos of MiB cost least: a few of those.
  static constexpr std::size_t kViewBytes = std::size_t{8} << 20;

 private:
  enum Way : std::size_t { copied, viewed };

  /// Pieces that are read or viewed in one go, and how long they and what is done with them take.
  struct Window {
    std::int64_t next = 0;
    std::int64_t end = 0;
    std::size_t way = copied;
    std::span<const std::byte> rest;  ///< of a view: that of the pieces from `next` on
    std::uint64_t bytes = 0;
    base::Clock::time_point begun;
  };

  void open_window(std::int64_t piece, std::int64_t end);
  std::span<const std::byte> decode(std::int64_t piece, std::int64_t end,
                                    const store::ChunkCoding& coding);
  const store::StoredChunk& stored_chunk(std::int64_t piece, std::int64_t end);

  const store::ArraySource& source_;
  std::size_t element_bytes_;
  std::size_t view_bytes_;
  base::PageBuffer elements_;
  Window window_;
  std::optional<base::FileView> view_;
  plan::FasterWay ways_;
  store::StoredChunks stored_;
  std::int64_t first_stored_ = 0;  ///< piece of its first chunk
  std::optional<codec::ChunkDecoder> decoder_;
};

/// Moves the elements of `extent`, the part of a chunk that lies in its array, to the front.
void clip_chunk(std::span<std::byte> chunk, const job::Shape& chunk_shape, const job::Shape& extent,
                std::size_t element_bytes);

}  // namespace tessera::reduce
