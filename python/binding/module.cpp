#include <pybind11/pybind11.h>

#include "binding/arrays.hpp"
#include "binding/calls.hpp"
#include "binding/images.hpp"
#include "binding/reductions.hpp"
#include "tessera/error.hpp"

namespace {

namespace py = pybind11;

/// The classes of errors by their codes, of tessera/_errors.py. Never destroyed, as the interpreter
/// may end before.
py::dict& classes() {
  static auto* const all = new py::dict;
  return *all;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.def("set_errors", [](const py::dict& by_code) { classes() = by_code; });
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const tessera::Error& error) {
      const py::object type = classes()[py::int_(static_cast<int>(error.code()))];
      PyErr_SetString(type.ptr(), error.what());
    }
  });
  tessera::python::add_calls(module);
  tessera::python::add_arrays(module);
  tessera::python::add_images(module);
  tessera::python::add_reductions(module);
}
