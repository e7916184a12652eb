// Arrays that calls make, as NumPy's.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/array.hpp"

namespace tessera::python {

namespace py = pybind11;

/// Memory for the arrays of a call: new, or that of an array of the caller.
class NewArrays {
 public:
  /// `out`: None, or an array for the only result.
  explicit NewArrays(const py::object& out);

  /// Needs no GIL.
  PlaceArray place();
  /// (name, array, edges) of each, after the call.
  py::list take();

 private:
  struct Made {
    ResultArray layout;
    std::unique_ptr<std::byte[]> values;
  };

  ArrayMemory fit(const ResultArray& array) const;

  py::object out_;
  std::optional<ArrayView> view_;  ///< of out_
  std::list<Made> made_;
};

/// An array of one dimension.
py::array array_of(Type type, std::vector<std::byte> values);

}  // namespace tessera::python
