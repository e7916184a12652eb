// An array in memory as a source of elements, with any strides: those of NumPy's arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "store/arrays/array_source.hpp"

namespace tessera::store {

/// Where the elements of an array are. Another thread must not write them while they are read.
struct MemoryLayout {
  std::span<const std::byte> bytes;
  std::int64_t offset_bytes = 0;  ///< of the element with index 0 in every dimension
  base::ElementType type = base::ElementType::f64;
  job::Shape shape;
  /// From one element to the next in each dimension, in bytes; may be negative or 0. Empty: the
  /// elements lie one behind the other in C order.
  job::Shape strides_bytes{};
  bool swap_bytes = false;  ///< they have the other byte order
  bool is_boolean = false;  ///< anything but 0 counts as 1; `type` is u8
};

/// Elements that lie one behind the other in any order of the dimensions are not copied. `name` is
/// for messages. `owner` keeps the memory while the source, or a view of it, exists; null if it
/// outlives them anyway. Throws a usage error if an element is outside of `bytes`.
std::unique_ptr<ArraySource> open_memory(const MemoryLayout& layout, std::string name,
                                         std::int64_t piece_bytes,
                                         std::shared_ptr<const void> owner = nullptr);

}  // namespace tessera::store
