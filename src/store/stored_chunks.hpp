// Chunks of pieces in a row as they are stored: small ones come many at a time, since one thread at
// a time can fetch them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_buffer.hpp"

namespace tessera::store {

struct StoredChunk {
  bool there = false;  ///< in the file
  std::uint32_t filter_mask = 0;
  std::uint64_t offset_bytes = 0;  ///< in the file, for who reads it past HDF5
  std::span<std::byte> bytes;
};

class StoredChunks {
 public:
  /// All together, but for a single chunk that is larger: what a core's own cache holds.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;

  const std::vector<StoredChunk>& chunks() const { return chunks_; }
  void clear() {
    chunks_.clear();
    used_bytes_ = 0;
  }
  /// The next chunk, with room for its bytes; null if there is none left.
  StoredChunk* add(std::size_t bytes) {
    if (!chunks_.empty() && used_bytes_ + bytes > kMostBytes) return nullptr;
    if (chunks_.empty()) buffer_.take(std::max(bytes, kMostBytes));
    const auto room = buffer_.take(used_bytes_ + bytes).subspan(used_bytes_);
    used_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return &chunks_.emplace_back(StoredChunk{.there = true, .bytes = room});
  }
  void add_missing() { chunks_.emplace_back(); }

 private:
  static constexpr std::size_t kAlignment = 64;

  base::PageBuffer buffer_;
  std::vector<StoredChunk> chunks_;
  std::size_t used_bytes_ = 0;
};

}  // namespace tessera::store
