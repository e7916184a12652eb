// Serialises plain values into bytes and back, for messages between ranks of the same machine type.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace tessera::base {

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  template <class T>
  ByteWriter& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  ByteWriter& put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  /// The length, then the text.
  ByteWriter& put_text(std::string_view text) {
    put(text.size());
    return put_bytes(std::as_bytes(std::span(text)));
  }
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Throws base::Error (failed) instead of reading past the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, get_bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> get_bytes(std::size_t n) {
    if (n > rest_.size()) throw run_error("message too short: {} bytes missing", n - rest_.size());
    const auto bytes = rest_.first(n);
    rest_ = rest_.subspan(n);
    return bytes;
  }
  std::string get_text() {
    const auto bytes = get_bytes(get<std::size_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace tessera::base
