#include "binding/results.hpp"

#include <string>

#include "binding/arrays.hpp"

namespace tessera::python {
namespace {

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (const std::int64_t side : shape) text += std::to_string(side) + ", ";
  if (shape.size() == 1) text.pop_back();
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

Shape packed_strides(const Shape& shape, std::int64_t element) {
  Shape strides(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element *= shape[d]) strides[d] = element;
  return strides;
}

std::size_t bytes_of(Type type) {
  return static_cast<std::size_t>(code_of(type)[1] - '0');
}

/// The array owns `values`.
template <class T>
py::array owning(Type type, const Shape& shape, void* data, T values) {
  auto* const kept = new T(std::move(values));
  const py::capsule owner(kept, [](void* all) { delete static_cast<T*>(all); });
  return {py::dtype(code_of(type)), shape,
          packed_strides(shape, static_cast<std::int64_t>(bytes_of(type))), data, owner};
}

}  // namespace

NewArrays::NewArrays(const py::object& out) : out_(out) {
  if (out.is_none()) return;
  const auto array = out.cast<py::array>();
  if (!array.writeable()) throw Error(Code::usage, "out: is read-only");
  view_ = view_of(array);
  if (view_->swapped) throw Error(Code::usage, "out: has the other byte order");
}

PlaceArray NewArrays::place() {
  return [this](const ResultArray& array) {
    if (view_) {
      if (!made_.empty()) throw Error(Code::usage, "out: takes one result; there are several");
      made_.push_back({array, nullptr});
      return fit(array);
    }
    std::size_t bytes = bytes_of(array.type);
    for (const std::int64_t side : array.shape) bytes *= static_cast<std::size_t>(side);
    Made& made =
        made_.emplace_back(Made{array, std::make_unique_for_overwrite<std::byte[]>(bytes)});
    return ArrayMemory{
        made.values.get(),
        packed_strides(array.shape, static_cast<std::int64_t>(bytes_of(array.type)))};
  };
}

/// Dimensions of one element that the result lacks, as of keepdims, are passed over.
ArrayMemory NewArrays::fit(const ResultArray& array) const {
  Shape strides;
  std::size_t d = 0;
  for (const std::int64_t side : array.shape) {
    while (d < view_->shape.size() && view_->shape[d] == 1 && side != 1) ++d;
    if (d == view_->shape.size() || view_->shape[d] != side) break;
    strides.push_back(view_->strides_bytes[d++]);
  }
  while (d < view_->shape.size() && view_->shape[d] == 1) ++d;
  if (strides.size() != array.shape.size() || d != view_->shape.size() ||
      view_->type != array.type) {
    throw Error(Code::usage, "out: has the shape " + text_of(view_->shape) + " and elements " +
                                 code_of(view_->type) + "; the result has " + text_of(array.shape) +
                                 " and " + code_of(array.type));
  }
  return {const_cast<void*>(view_->data), std::move(strides)};
}

py::list NewArrays::take() {
  py::list all;
  for (Made& made : made_) {
    py::object array = out_;
    if (!view_) {
      void* const data = made.values.get();
      array = owning(made.layout.type, made.layout.shape, data, std::move(made.values));
    }
    all.append(py::make_tuple(made.layout.name, array, made.layout.edges));
  }
  return all;
}

py::array array_of(Type type, std::vector<std::byte> values) {
  void* const data = values.data();
  const auto count = static_cast<std::int64_t>(values.size() / bytes_of(type));
  return owning(type, {count}, data, std::move(values));
}

}  // namespace tessera::python
