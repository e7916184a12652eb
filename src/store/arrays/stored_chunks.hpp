// Stored bytes of the chunks of consecutive pieces. Small chunks are fetched many at a time,
// because only one thread at a time can fetch them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "base/file/page_buffer.hpp"

namespace tessera::store {

struct StoredChunk {
  bool there = false;  ///< in the file
  std::uint32_t filter_mask = 0;
  std::uint64_t offset_bytes = 0;  ///< in the file, for reads without HDF5
  std::span<std::byte> bytes;
};

class StoredChunks {
 public:
  /// Bytes of all chunks together, unless a single chunk is larger: the size of a core's own cache.
  // crossed by: HaveRoomForSoManyBytesAndNoMore, AreSoManyAndNoMoreWhetherTheyAreThereOrNot,
  // reduce_thresholds_test.test_chunks_that_were_never_written,
  // test_chunks_that_are_fetched_together
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
  /// Limits missing chunks, which take no bytes: other threads wait for HDF5 meanwhile.
  // crossed by: HaveRoomForSoManyBytesAndNoMore, AreSoManyAndNoMoreWhetherTheyAreThereOrNot,
  // reduce_thresholds_test.test_chunks_that_were_never_written,
  // test_chunks_that_are_fetched_together
  static constexpr std::size_t kMaxChunks = 1024;

  const std::deque<StoredChunk>& chunks() const { return chunks_; }
  void clear() {
    chunks_.clear();
    has_room_ = false;
  }
  /// Appends a chunk with memory for its bytes; null if it does not fit. The chunk and its memory
  /// stay valid until clear().
  StoredChunk* add(std::size_t bytes) {
    if (chunks_.size() >= kMaxChunks) return nullptr;
    if (!has_room_) {  // only once, because the buffer moves when it grows
      room_ = buffer_.take(std::max(bytes, kMaxBytes));
      has_room_ = true;
    }
    if (bytes > room_.size()) return nullptr;
    chunks_.push_back({.there = true, .bytes = room_.first(bytes)});
    const std::size_t aligned_bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    room_ = room_.subspan(std::min(aligned_bytes, room_.size()));
    return &chunks_.back();
  }
  /// False if the list is full.
  bool add_missing() {
    if (chunks_.size() >= kMaxChunks) return false;
    chunks_.emplace_back();
    return true;
  }

 private:
  static constexpr std::size_t kAlignment = 64;

  base::PageBuffer buffer_;
  bool has_room_ = false;
  std::span<std::byte> room_;  ///< the unused part of the buffer
  std::deque<StoredChunk> chunks_;
};

}  // namespace tessera::store
