#include "binding/reductions.hpp"

#include <pybind11/stl.h>

#include "binding/calls.hpp"
#include "tessera/reduce.hpp"

namespace tessera::python {
namespace {

py::object object_of(const Value& value) {
  if (value.real) return py::float_(*value.real);
  if (value.text == "true" || value.text == "false") return py::bool_(value.text == "true");
  PyObject* const number = PyLong_FromString(value.text.c_str(), nullptr, 10);
  if (number != nullptr) return py::reinterpret_steal<py::object>(number);
  PyErr_Clear();
  return py::float_(py::str(value.text));
}

/// (name, values, edges) of each operation, then the counts.
py::tuple tuple_of(const Results& results) {
  py::list operations;
  for (const Result& one : results.operations) {
    py::list values;
    for (const Value& value : one.values) values.append(object_of(value));
    operations.append(py::make_tuple(one.name, values, one.edges));
  }
  return py::make_tuple(operations,
                        py::make_tuple(results.elements, results.nans, results.positive_infinities,
                                       results.negative_infinities, results.missing),
                        results.report);
}

Reduction reduction_of(const Pairs& options, const std::optional<Source>& with,
                       const std::vector<Source>& by) {
  return {.options = options_of(options), .with = with, .by = by};
}

}  // namespace

void add_reductions(py::module_& module) {
  module.def("reduce", [](PyContext& context, const Source& array, const Pairs& options,
                          const std::optional<Source>& with, const std::vector<Source>& by,
                          const py::object& progress, const py::object& log, bool here) {
    Results results;
    call(
        context, {progress, log},
        [&](const Run& run) {
          results = reduce(context.get(), array, reduction_of(options, with, by), run);
        },
        here);
    return tuple_of(results);
  });
  py::class_<Partial>(module, "Partial")
      .def(py::init([](const py::bytes& bytes) {
        const auto text = static_cast<std::string_view>(bytes);
        return Partial::from_bytes(std::as_bytes(std::span(text)));
      }))
      .def("bytes",
           [](const Partial& partial) {
             const std::vector<std::byte> bytes = partial.bytes();
             return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
           })
      .def("merge", &Partial::merge)
      .def("results", [](const Partial& partial) { return tuple_of(partial.results()); });
  module.def("partial", [](PyContext& context, const Source& part, const Pairs& options,
                           const std::optional<Source>& with, std::int64_t first,
                           const py::object& progress, const py::object& log, bool here) {
    std::optional<Partial> made;
    call(
        context, {progress, log},
        [&](const Run& run) {
          made.emplace(
              Partial::of(context.get(), part, reduction_of(options, with, {}), first, run));
        },
        here);
    return std::move(*made);
  });
}

}  // namespace tessera::python
