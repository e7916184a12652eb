// Arrays for Python.
#pragma once

#include <pybind11/numpy.h>

#include <string>

#include "tessera/array.hpp"

namespace tessera::python {

/// "f8", "b1"
std::string code_of(Type type);
/// Throws a usage error for a type that is no number.
Type type_of(const std::string& code);

/// The array is borrowed.
ArrayView view_of(const pybind11::array& array);

void add_arrays(pybind11::module_& module);

}  // namespace tessera::python
