// Images for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace tessera::python {

void add_images(pybind11::module_& module);

}  // namespace tessera::python
