// What is sound of an unfinished image: its log, the bytes that it means, and HDF5's index held
// against both. Changes nothing. Private to this room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file/input_file.hpp"
#include "codec/chunk.hpp"
#include "store/image/state.hpp"

namespace tessera::store {

/// Stored bytes by their address, read ahead: chunks lie in the order of the log.
class StoredBytes {
 public:
  explicit StoredBytes(const std::string& path) : file_(path) {}

  /// Until the next call; empty if the file ends before them.
  std::span<const std::byte> read(const ChunkRecord& chunk) {
    const std::uint64_t size = file_.size_bytes();
    if (chunk.bytes == 0 || chunk.address > size || chunk.bytes > size - chunk.address) return {};
    const bool inside =
        chunk.address >= first_ && chunk.address + chunk.bytes <= first_ + window_.size();
    if (!inside) {
      first_ = chunk.address;
      window_.resize(
          std::min<std::uint64_t>(size - first_, std::max<std::uint64_t>(kAhead, chunk.bytes)));
      file_.read_at(first_, window_);
    }
    return std::span(window_).subspan(chunk.address - first_, chunk.bytes);
  }

  /// Empty too if they are not what they were.
  std::span<const std::byte> read_sound(const ChunkRecord& chunk) {
    const auto bytes = read(chunk);
    return codec::crc32c(bytes) == chunk.checksum ? bytes : std::span<const std::byte>();
  }

 private:
  static constexpr std::uint64_t kAhead = std::uint64_t{4} << 20;
  base::InputFile file_;
  std::uint64_t first_ = 0;
  std::vector<std::byte> window_;
};

/// What the log and the bytes say, and whether HDF5's index says the same.
struct Survey {
  Leftover found;
  bool index_agrees = false;
  std::vector<LogRecord> unindexed;  ///< sound tiles that the index lacks
};

/// Reads every stored byte. `state` names the files; nothing of it need be open.
Survey survey_image(const ImageState& state);

}  // namespace tessera::store
