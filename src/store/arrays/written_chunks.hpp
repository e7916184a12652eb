// Where the stored chunks of arrays go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/array_pieces.hpp"

namespace tessera::store {

/// Members throw base::Error (failed) naming the file.
class WrittenChunks {
 public:
  virtual ~WrittenChunks() = default;
  /// `origin`: of the chunk in the array. `bytes` and `filter_mask`: see codec::EncodedChunk.
  /// Returns the CRC-32C of what is stored, continued from `checksum`. One thread at a time.
  virtual std::uint32_t write(std::size_t array, const plan::Shape& origin,
                              std::span<const std::byte> bytes, std::uint32_t filter_mask,
                              std::uint32_t checksum) = 0;
  /// What is stored; empty if there is nothing.
  virtual std::vector<std::byte> read(std::size_t array, const plan::Shape& origin) const = 0;
  /// Makes what is written last. Any thread may call it.
  virtual void flush() = 0;
  /// Ends writing, and throws errors that the destructor would ignore.
  virtual void close() = 0;
};

}  // namespace tessera::store
