// A buffer that begins with a page. Where its place in a page is a little behind that of what is
// copied into it, cores take loads for loads of what they have just stored: on Zen 4 a read() into
// what malloc gives, 16 bytes behind the start of a page, takes twice as long.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace tessera::base {

class PageBuffer {
 public:
  /// At least `bytes` bytes; what they held before is lost when the buffer has to grow.
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
    data_.reset();  // the old buffer goes before the new one comes
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
