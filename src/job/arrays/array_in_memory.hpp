// Arrays of the calling program as inputs: elements in its memory, or a function that reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/element.hpp"

namespace tessera::job {

/// Where the elements of an array are. Another thread must not write them while they are read.
struct ArrayInMemory {
  std::span<const std::byte> bytes;
  std::int64_t offset_bytes = 0;  ///< of the element with index 0 in every dimension
  base::ElementType type = base::ElementType::f64;
  std::vector<std::int64_t> shape;
  /// From one element to the next in each dimension, in bytes; may be negative or 0. Empty: the
  /// elements lie one behind the other in C order.
  std::vector<std::int64_t> strides_bytes{};
  bool swap_bytes = false;  ///< they have the other byte order
  bool is_boolean = false;  ///< anything but 0 counts as 1; `type` is u8
  /// Keeps the memory while a source, or a view of it, exists; null if it outlives them anyway.
  std::shared_ptr<const void> owner{};
};

/// An array in the memory of a GPU that this process drives.
struct InDeviceMemory {
  std::string device{};  ///< in the form of --device: "cuda:0"
  /// The elements, not to be looked at from here; empty if they are not one behind the other.
  std::span<const std::byte> bytes{};
  bool c_order = true;  ///< otherwise the dimensions are in another order
  /// Copies those bytes from number `at` on.
  std::function<void(std::size_t at, std::span<std::byte> to)> copy{};
  /// The device is the calling thread's current one while the object lives.
  std::function<std::shared_ptr<void>()> hold{};
};

/// An array whose elements a function of the calling program reads. Any thread calls it at any
/// time.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;
  virtual base::ElementType type() const = 0;
  /// Anything but 0 counts as 1; type() is u8.
  virtual bool is_boolean() const { return false; }
  virtual std::vector<std::int64_t> shape() const = 0;
  /// Boxes of this shape, and at multiples of it, are the fastest to read; empty = any box.
  virtual std::vector<std::int64_t> chunk() const { return {}; }
  /// Reads the box with this first element and these extents into `elements`, which has exactly its
  /// size: in C order, in this machine's byte order. What it throws ends the run.
  virtual void read(std::span<const std::int64_t> origin, std::span<const std::int64_t> extent,
                    std::span<std::byte> elements) const = 0;
  /// Set if the array is in the memory of a GPU.
  virtual std::optional<InDeviceMemory> in_device_memory() const { return {}; }
};

}  // namespace tessera::job
