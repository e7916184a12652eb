// Chunks as a renderer makes them, and worse ones, for the tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/element.hpp"

namespace tessera::codec {

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() >> 24);
  return bytes;
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Slowly changing values with a noisy patch, as counts near the edge of the set have them.
template <class T>
Bytes wavy(std::size_t count) {
  std::mt19937 random(7);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double noise = i % 512 < 40 ? static_cast<double>(random() % 97) : 0;
    values[i] = static_cast<T>(300 + 200 * std::sin(static_cast<double>(i) / 900) + noise);
  }
  return bytes_of(values);
}

inline Bytes wavy_of(base::ElementType type, std::size_t count) {
  switch (type) {
    case base::ElementType::u16:
      return wavy<std::uint16_t>(count);
    case base::ElementType::u32:
      return wavy<std::uint32_t>(count);
    case base::ElementType::f32:
      return wavy<float>(count);
    default:  // no field has another type
      return {};
  }
}

inline Bytes uniform(base::ElementType type, std::size_t count, std::uint64_t value) {
  const std::size_t size = base::element_bytes(type);
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * size, &value, size);
  return bytes;
}

/// H5Z_FILTER_SHUFFLE as its documentation tells it, byte by byte.
inline Bytes naive_shuffle(const Bytes& from, std::size_t element_bytes) {
  Bytes to = from;
  const std::size_t count = from.size() / element_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < element_bytes; ++k) {
      to[k * count + i] = from[i * element_bytes + k];
    }
  }
  return to;
}

inline constexpr base::ElementType kTypes[] = {base::ElementType::u16, base::ElementType::u32,
                                               base::ElementType::f32};

}  // namespace tessera::codec
