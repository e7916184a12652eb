// A buffer that a worker keeps between chunks; it only grows and is never cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace tessera::codec {

class Scratch {
 public:
  /// At least `bytes` bytes. Growing discards the contents.
  std::span<std::byte> take(std::size_t bytes) {
    if (bytes > size_) {
      data_.reset();  // free the old buffer first
      data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      size_ = bytes;
    }
    return {data_.get(), bytes};
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

}  // namespace tessera::codec
