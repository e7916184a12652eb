// A buffer that only grows and is never cleared: what a worker keeps between chunks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace tessera::codec {

class Scratch {
 public:
  /// At least `bytes` bytes; what they held before is lost when the buffer has to grow.
  std::span<std::byte> take(std::size_t bytes) {
    if (bytes > size_) {
      data_.reset();  // the old buffer goes before the new one comes
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
