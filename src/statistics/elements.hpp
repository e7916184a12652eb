// The input of reducers: elements that were read, a part of an array that the device generates, or
// a part of an expression that it evaluates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "job/arrays/array_input.hpp"
#include "kernels/gpu/expression_arguments.hpp"

namespace tessera::statistics {

/// Elements [first, first + count) of an array that is generated, not read.
struct GeneratedElements {
  const job::ArrayInput& input;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Elements in the memory of the device, which the calling program has.
struct ResidentElements {
  /// Kernels read vectors of so many bytes: both ends are multiples of it.
  static constexpr std::size_t kAlignment = 16;
  std::span<const std::byte> bytes;
};

/// A part of an array of an expression.
struct MappedArray {
  enum class Kind { read, generated, counted };

  Kind kind = Kind::read;
  base::ElementType type = base::ElementType::f64;
  std::span<const std::byte> read;
  const job::ArrayInput* generated = nullptr;
  std::int64_t first = 0;  ///< index of the first element that is generated, or the first number

  /// Bytes of an element in the memory of the device; 0 if it counts.
  std::int64_t bytes_each() const;
};

/// Elements of an expression of arrays. The steps are those of kernels/gpu/expression.h.
struct MappedElements {
  std::span<const kernels::TsStep> steps;
  /// Results of several expressions; if empty, the last step has the result.
  std::span<const kernels::TsMapResult> results;
  std::vector<MappedArray> arrays;
  std::int64_t count = 0;
};

/// Elements in memory, of the host or of the device, or elements to be generated or evaluated.
struct Elements {
  template <std::convertible_to<std::span<const std::byte>> Bytes>
  Elements(const Bytes& bytes) : read(bytes) {}
  Elements(const GeneratedElements& part) : generated(part) {}
  Elements(MappedElements part) : mapped(std::move(part)) {}
  Elements(const ResidentElements& part) : read(part.bytes), resident(true) {}

  std::span<const std::byte> read;  ///< in this machine's byte order
  bool resident = false;            ///< `read` is in the memory of the device
  std::optional<GeneratedElements> generated;
  std::optional<MappedElements> mapped;

  std::int64_t count(base::ElementType type) const;
  /// Elements [first, first + some).
  Elements part(std::int64_t first, std::int64_t some, base::ElementType type) const;
  /// The elements in memory. Throws base::Error (failed) if they are to be generated
  /// or evaluated, or are in the memory of the device.
  std::span<const std::byte> bytes() const;
};

}  // namespace tessera::statistics
