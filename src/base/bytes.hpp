// Serialises values into bytes and back, for messages between ranks of the same machine type.
//
// Plain values are copied as they are in memory. A string or a vector is its size, then its
// elements; booleans take a bit
// each. A map is its size, then its keys and values. A struct of such values is its members in
// order, if it lists them:
//     static auto members(auto& self) { return std::tie(self.name, self.numbers); }
// A class may also have its own write(ByteWriter&) and read(ByteReader&).
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tessera::base {

using Bytes = std::vector<std::byte>;

/// A value that is copied as it is; not a view of others.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !std::ranges::borrowed_range<T>;

/// A pair is Plain in some standard libraries, but a map of them is copied one by one.
template <class T>
concept PlainElements = std::ranges::contiguous_range<T> && Plain<std::ranges::range_value_t<T>>;

template <class T>
concept ListsMembers = requires(T& value) {
  T::members(value);
};

class ByteWriter;

template <class T>
concept WritesItself = requires(const T& value, ByteWriter& to) {
  value.write(to);
};

class ByteWriter {
 public:
  template <class... Values>
  ByteWriter& put(const Values&... values) {
    (put_one(values), ...);
    return *this;
  }
  /// Not inline: g++ 12 would warn of an overflow that cannot occur.
  ByteWriter& put_bytes(std::span<const std::byte> bytes);
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  template <class T>
  void put_one(const T& value) {
    if constexpr (Plain<T>) {
      put_bytes(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (ListsMembers<T>) {
      std::apply([this](const auto&... members) { this->put(members...); }, T::members(value));
    } else if constexpr (WritesItself<T>) {
      value.write(*this);
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      put_bits(value);
    } else if constexpr (PlainElements<T>) {
      put(std::ranges::size(value));
      put_bytes(std::as_bytes(std::span(value)));
    } else {
      put(std::ranges::size(value));
      for (const auto& element : value) put_element(element);
    }
  }

  void put_element(const auto& element) { put(element); }
  template <class Key, class T>
  void put_element(const std::pair<const Key, T>& element) {
    put(element.first, element.second);
  }

  void put_bits(const std::vector<bool>& bits) {
    Bytes packed((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i]) packed[i / 8] |= std::byte{1} << (i % 8);
    }
    put(bits.size());
    put_bytes(packed);
  }

  Bytes bytes_;
};

/// Throws base::Error (failed) instead of reading past the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T get() {
    T value;
    read(value);
    return value;
  }
  template <class T>
  void read(T& value) {
    if constexpr (Plain<T>) {
      std::memcpy(&value, get_bytes(sizeof(T)).data(), sizeof(T));
    } else if constexpr (ListsMembers<T>) {
      std::apply([this](auto&... members) { (this->read(members), ...); }, T::members(value));
    } else if constexpr (WritesItself<T>) {
      value.read(*this);
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      read_bits(value);
    } else if constexpr (PlainElements<T>) {
      read_plain(value);
    } else {
      value.clear();
      for (auto left = get<std::size_t>(); left > 0; --left) read_element(value);
    }
  }
  std::span<const std::byte> get_bytes(std::size_t n) {
    if (n > rest_.size()) throw run_error("message too short: {} bytes missing", n - rest_.size());
    const auto bytes = rest_.first(n);
    rest_ = rest_.subspan(n);
    return bytes;
  }
  std::span<const std::byte> get_rest() { return get_bytes(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  template <class T>
  void read_plain(T& values) {
    const std::size_t each = sizeof(typename T::value_type);
    const auto count = get<std::size_t>();
    if (count > rest_.size() / each) throw run_error("message too short for {} values", count);
    const auto bytes = get_bytes(count * each);
    if constexpr (sizeof(typename T::value_type) == 1) {  // does not write the elements twice
      const auto* const first = reinterpret_cast<const typename T::value_type*>(bytes.data());
      values.assign(first, first + count);
    } else {
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    }
  }

  void read_element(auto& values) { read(values.emplace_back()); }
  template <class Key, class T>
  void read_element(std::map<Key, T>& values) {
    const auto key = get<Key>();
    read(values[key]);
  }

  void read_bits(std::vector<bool>& bits) {
    const auto count = get<std::size_t>();
    const auto packed = get_bytes(count / 8 + (count % 8 != 0 ? 1 : 0));
    bits.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      bits[i] = (packed[i / 8] & std::byte{1} << (i % 8)) != std::byte{};
    }
  }

  std::span<const std::byte> rest_;
};

/// The values, one behind the other.
template <class... Values>
Bytes to_bytes(const Values&... values) {
  return ByteWriter().put(values...).take();
}

/// The only value in `bytes`. Throws base::Error (failed) if they are too short or too long.
template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  T value = in.get<T>();
  if (!in.empty()) throw run_error("message too long by {} bytes", in.get_rest().size());
  return value;
}

}  // namespace tessera::base
