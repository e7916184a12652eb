// The input of reducers: elements that were read, or a part of an array that the device generates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/element.hpp"
#include "job/array_input.hpp"

namespace tessera::statistics {

/// Elements [first, first + count) of an array that is generated, not read.
struct GeneratedElements {
  const job::ArrayInput& input;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Either elements in memory or elements to be generated.
struct Elements {
  template <class Bytes>
  requires std::constructible_from < std::span<const std::byte>,
  const Bytes& > Elements(const Bytes& bytes) : read(bytes) {}
  Elements(const GeneratedElements& part) : generated(part) {}

  std::span<const std::byte> read;  ///< in this machine's byte order
  std::optional<GeneratedElements> generated;

  std::int64_t count(base::ElementType type) const;
  /// Elements [first, first + some).
  Elements part(std::int64_t first, std::int64_t some, base::ElementType type) const;
  /// The elements in memory. Throws base::Error (failed) if they are to be generated.
  std::span<const std::byte> bytes() const;
};

}  // namespace tessera::statistics
