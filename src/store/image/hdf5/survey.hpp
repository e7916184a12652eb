// Finds the valid tiles of an unfinished image: compares its log with the stored bytes and with
// HDF5's index. Changes nothing. Private to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file/input_file.hpp"
#include "codec/chunk.hpp"
#include "store/image/hdf5/state.hpp"

namespace tessera::store {

/// Reads stored bytes by address, with read-ahead: chunks lie in the order of the log.
class StoredBytes {
 public:
  explicit StoredBytes(const std::string& path) : file_(path) {}

  /// The chunk's bytes, valid until the next call; empty if the file ends before they do.
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

  /// The same, but also empty if the checksum differs.
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

/// The valid tiles, and whether HDF5's index agrees with the log.
struct Survey {
  Leftover found;
  bool index_agrees = false;
  std::vector<LogRecord> unindexed;  ///< valid tiles that the index lacks
};

/// Reads every stored byte. `state` names the files; none of them need be open.
Survey survey_image(const ImageState& state);

}  // namespace tessera::store
