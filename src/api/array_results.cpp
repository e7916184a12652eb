#include "api/array_results.hpp"

#include "api/call.hpp"
#include "api/source_state.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::api {

ResultArray array_of(const store::WrittenArray& array) {
  return {.name = array.name,
          .type = type_of(array.type, array.is_boolean),
          .shape = array.shape,
          .edges = array.edges};
}

reduce::MemorySink memory_sink(const PlaceArray& place) {
  return reduce::MemorySink([&place](const store::WrittenArray& array) {
    ArrayMemory memory = called_back([&] { return place(array_of(array)); });
    return reduce::ArrayMemory{static_cast<std::byte*>(memory.data),
                               std::move(memory.strides_bytes)};
  });
}

void CallersArrays::begin(std::span<const store::WrittenArray> arrays) {
  arrays_.assign(arrays.begin(), arrays.end());
  std::vector<ResultArray> shown;
  for (const store::WrittenArray& array : arrays) shown.push_back(array_of(array));
  called_back([&] { sink_.begin(shown); });
}

void CallersArrays::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                          std::span<const std::byte> elements) {
  const store::WrittenArray& of = arrays_[array];
  const std::size_t dimensions = box.extent.size();
  Box whole{box.origin, box.extent};
  Shape strides = store::packed_strides(box.extent, store::bytes_each(of, dimensions), order);
  // The further dimensions are in C order, whatever the order of the box.
  const plan::Shape list(of.shape.begin() + static_cast<std::ptrdiff_t>(dimensions),
                         of.shape.end());
  const plan::Shape list_strides = store::packed_strides(list, base::element_bytes(of.type));
  whole.origin.resize(of.shape.size());
  whole.extent.insert(whole.extent.end(), list.begin(), list.end());
  strides.insert(strides.end(), list_strides.begin(), list_strides.end());
  called_back([&] { sink_.write(array, whole, elements.data(), strides); });
}

void KeptTable::begin(std::span<const store::TableColumn> columns) {
  for (const store::TableColumn& column : columns) {
    columns_.push_back({column.name, type_of(column.type, column.is_boolean), {}});
  }
}

void KeptTable::write(const store::TableRows& rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const base::Bytes& more = rows.columns[i];
    columns_[i].values.insert(columns_[i].values.end(), more.begin(), more.end());
  }
}

}  // namespace tessera::api
