// Reductions for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace tessera::python {

void add_reductions(pybind11::module_& module);

}  // namespace tessera::python
