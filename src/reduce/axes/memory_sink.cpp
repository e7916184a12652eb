#include "reduce/axes/memory_sink.hpp"

#include <cstdint>

#include "base/error.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {

void MemorySink::begin(std::span<const store::WrittenArray> arrays) {
  for (const store::WrittenArray& array : arrays) {
    arrays_.push_back(array);
    memory_.push_back(place_(array));
    if (memory_.back().strides_bytes.size() == array.shape.size()) continue;
    throw base::usage_error("{}: {} strides for {} dimensions", array.name,
                            memory_.back().strides_bytes.size(), array.shape.size());
  }
}

std::byte* MemorySink::place(std::size_t number, const plan::Box& box, plan::StorageOrder order) {
  const store::WrittenArray& array = arrays_[number];
  const ArrayMemory& memory = memory_[number];
  const std::size_t element_bytes = base::element_bytes(array.type);
  if (box.extent.size() != array.shape.size()) return nullptr;
  const plan::Shape packed = store::packed_strides(box.extent, element_bytes, order);
  std::byte* to = memory.first;
  for (std::size_t d = 0; d < packed.size(); ++d) {
    if (box.extent[d] > 1 && packed[d] != memory.strides_bytes[d]) return nullptr;
    to += box.origin[d] * memory.strides_bytes[d];
  }
  return reinterpret_cast<std::uintptr_t>(to) % element_bytes == 0 ? to : nullptr;
}

void MemorySink::write(std::size_t number, const plan::Box& box, plan::StorageOrder order,
                       std::span<const std::byte> elements) {
  if (elements.empty()) return;
  const store::WrittenArray& array = arrays_[number];
  const ArrayMemory& memory = memory_[number];
  const std::size_t dimensions = box.extent.size();
  const std::size_t element_bytes = base::element_bytes(array.type);
  // The further dimensions are in C order, whatever the order of the box.
  plan::Shape from = store::packed_strides(box.extent, store::bytes_each(array, dimensions), order);
  plan::Shape extent = box.extent;
  const plan::Shape list(array.shape.begin() + static_cast<std::ptrdiff_t>(dimensions),
                         array.shape.end());
  const plan::Shape list_strides = store::packed_strides(list, element_bytes);
  from.insert(from.end(), list_strides.begin(), list_strides.end());
  extent.insert(extent.end(), list.begin(), list.end());
  std::byte* to = memory.first;
  for (std::size_t d = 0; d < dimensions; ++d) to += box.origin[d] * memory.strides_bytes[d];
  store::copy_box(elements.data(), from, to, memory.strides_bytes, extent, element_bytes);
}

}  // namespace tessera::reduce
