// Puts the arrays of a reduction along axes, or of map, into the memory of the calling program.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "reduce/axes/array_sink.hpp"

namespace tessera::reduce {

/// Where the elements of an array go.
struct ArrayMemory {
  std::byte* first = nullptr;  ///< the element with index 0 in every dimension
  plan::Shape strides_bytes;   ///< one for each dimension of the array; may be negative
};

class MemorySink : public ArraySink {
 public:
  /// `place` is called for each array, in their order, before any element.
  using Place = std::function<ArrayMemory(const store::WrittenArray& array)>;
  explicit MemorySink(Place place) : place_(std::move(place)) {}

  void begin(std::span<const store::WrittenArray> arrays) override;
  void write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
             std::span<const std::byte> elements) override;
  std::byte* place(std::size_t array, const plan::Box& box, plan::StorageOrder order) override;

 private:
  Place place_;
  std::vector<store::WrittenArray> arrays_;
  std::vector<ArrayMemory> memory_;
};

}  // namespace tessera::reduce
