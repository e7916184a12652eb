// Reads numbers and ranges from compressed bytes without leaving them.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::codec {

/// "12 bytes"
inline std::string bytes_text(std::span<const std::byte> bytes) {
  return base::count_of(std::ssize(bytes), "byte");
}

/// "zstd stream of 12 bytes ends early"
inline base::Error bad_stream(std::string_view kind, std::span<const std::byte> stream,
                              std::string_view what) {
  return base::run_error("{} stream of {} {}", kind, bytes_text(stream), what);
}

template <std::unsigned_integral T>
T little_endian(std::span<const std::byte> bytes) {
  T number = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    number = static_cast<T>(number << 8 | std::to_integer<T>(bytes[i]));
  }
  return number;
}

template <std::unsigned_integral T>
T big_endian(std::span<const std::byte> bytes) {
  T number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    number = static_cast<T>(number << 8 | std::to_integer<T>(bytes[i]));
  }
  return number;
}

class StreamReader {
 public:
  /// `kind`: what the stream is called in messages.
  StreamReader(std::string_view kind, std::span<const std::byte> stream)
      : kind_(kind), stream_(stream), rest_(stream) {}

  std::span<const std::byte> rest() const { return rest_; }
  base::Error bad(std::string_view what) const { return bad_stream(kind_, stream_, what); }

  /// The next bytes. Throws base::Error (failed) if there are fewer.
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > rest_.size()) throw bad("ends early");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  unsigned take_byte() { return std::to_integer<unsigned>(take(1)[0]); }
  template <std::unsigned_integral T>
  T take_little_endian() {
    return little_endian<T>(take(sizeof(T)));
  }
  template <std::unsigned_integral T>
  T take_big_endian() {
    return big_endian<T>(take(sizeof(T)));
  }
  /// Throws base::Error (failed) unless all was read.
  void expect_end() const {
    if (!rest_.empty()) throw bad("has bytes behind its end");
  }

 private:
  std::string_view kind_;
  std::span<const std::byte> stream_;
  std::span<const std::byte> rest_;
};

}  // namespace tessera::codec
