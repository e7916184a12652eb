#include "binding/arrays.hpp"

#include <pybind11/stl.h>

#include "binding/calls.hpp"

namespace tessera::python {
namespace {

/// In the order of Type.
constexpr const char* kCodes[] = {"b1", "i1", "i2", "i4", "i8", "u1",
                                  "u2", "u4", "u8", "f2", "f4", "f8"};

/// Python has addresses as integers.
void* pointer_of(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

Source memory_source(std::uintptr_t address, const std::string& code, Shape shape, Shape strides,
                     bool swapped, std::string name) {
  return Source::memory({.data = pointer_of(address),
                         .type = type_of(code),
                         .shape = std::move(shape),
                         .strides_bytes = std::move(strides),
                         .swapped = swapped},
                        std::move(name));
}

Source cuda_source(std::uintptr_t address, const std::string& code, Shape shape, Shape strides,
                   std::uintptr_t stream, std::string name) {
  const py::gil_scoped_release no_gil;  // it waits for the stream
  return Source::cuda({.data = pointer_of(address),
                       .type = type_of(code),
                       .shape = std::move(shape),
                       .strides_bytes = std::move(strides)},
                      pointer_of(stream), std::move(name));
}

py::tuple info_of(const Source& source) {
  ArrayInfo info;
  {
    const py::gil_scoped_release no_gil;
    info = source.info();
  }
  return py::make_tuple(code_of(info.type), info.shape, info.chunk, info.kind);
}

/// `shape`: that of the array when it was opened; its type was that of `out`.
void read_into(const Source& source, Shape shape, const Box& box, py::array& out) {
  const ArrayInfo known{.type = view_of(out).type, .shape = std::move(shape)};
  const std::span bytes(static_cast<std::byte*>(out.mutable_data()),
                        static_cast<std::size_t>(out.nbytes()));
  const py::gil_scoped_release no_gil;
  source.read(box, bytes, known);
}

}  // namespace

std::string code_of(Type type) {
  return kCodes[static_cast<int>(type)];
}

Type type_of(const std::string& code) {
  for (int i = 0; i < 12; ++i) {
    if (code == kCodes[i]) return static_cast<Type>(i);
  }
  throw Error(Code::usage, "elements of type " + code + " are no numbers");
}

ArrayView view_of(const py::array& array) {
  const auto text = py::str(array.dtype().attr("str")).cast<std::string>();
  return {.data = array.data(),
          .type = type_of(text.substr(1)),
          .shape = {array.shape(), array.shape() + array.ndim()},
          .strides_bytes = {array.strides(), array.strides() + array.ndim()},
          .swapped = text.front() == '>'};
}

void add_arrays(py::module_& module) {
  py::class_<Source>(module, "Source")
      .def_static("memory", &memory_source)
      .def_static("cuda", &cuda_source)
      .def_static("file", [](const std::string& text) { return Source::file(text); })
      .def_static("dataset", &Source::dataset)
      .def_static("expression",
                  [](const std::string& text, std::vector<std::pair<std::string, Source>> arrays) {
                    return Source::expression(text, std::move(arrays));
                  })
      .def("info", &info_of);
  module.def("read",
             [](const Source& source, Shape shape, Shape origin, Shape extent, py::array out) {
               read_into(source, std::move(shape), {std::move(origin), std::move(extent)}, out);
             });
}

}  // namespace tessera::python
