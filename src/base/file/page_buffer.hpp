// A page-aligned buffer. If the buffer's offset within a page is slightly larger than the source's,
// cores mistake loads for loads of just stored data (4K aliasing): on Zen 4, a read() into malloc's
// memory, 16 bytes after the start of a page, takes twice as long.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace tessera::base {

class PageBuffer {
 public:
  /// At least `bytes` bytes. Growing discards the contents.
  std::span<std::byte> take(std::size_t bytes) {
    if (bytes > size_) grow(bytes);
    return {data_.get(), bytes};
  }

 private:
  static constexpr std::size_t kPageBytes = 4096;
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };

  void grow(std::size_t bytes) {
    data_.reset();  // free the old buffer first
    size_ = 0;
    const std::size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, pages * kPageBytes)));
    if (!data_) throw std::bad_alloc();
    size_ = bytes;
  }

  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace tessera::base
