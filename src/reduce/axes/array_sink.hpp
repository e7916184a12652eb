// Where a program receives the arrays of a reduction along axes, or of map, instead of files.
#pragma once

#include <cstddef>
#include <span>

#include "plan/array_pieces.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::reduce {

class ArraySink {
 public:
  virtual ~ArraySink() = default;
  /// Called once, on the gather rank, before any element: one array per operation or expression.
  virtual void begin(std::span<const store::WrittenArray> arrays) = 0;
  /// Elements of one box, which covers the first dimensions of the array; further dimensions are
  /// whole. They come in `order`. Every element comes once; several threads call it at a time, for
  /// boxes that do not overlap.
  virtual void write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                     std::span<const std::byte> elements) = 0;
  /// Memory for the elements of the box, one behind the other in `order` and aligned: they may be
  /// put there instead of given to write(). Null: there is none.
  virtual std::byte* place(std::size_t /*array*/, const plan::Box& /*box*/,
                           plan::StorageOrder /*order*/) {
    return nullptr;
  }
  /// Called after the last element. Not called if the run fails.
  virtual void finish() {}
};

}  // namespace tessera::reduce
