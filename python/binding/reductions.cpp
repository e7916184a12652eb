#include "binding/reductions.hpp"

#include <pybind11/stl.h>

#include "binding/calls.hpp"
#include "binding/results.hpp"
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

py::tuple counts_of(const Results& results) {
  return py::make_tuple(results.elements, results.nans, results.positive_infinities,
                        results.negative_infinities, results.missing);
}

/// (name, values, edges) of each operation, then the counts.
py::tuple tuple_of(const Results& results) {
  py::list operations;
  for (const Result& one : results.operations) {
    py::list values;
    for (const Value& value : one.values) values.append(object_of(value));
    operations.append(py::make_tuple(one.name, values, one.edges));
  }
  return py::make_tuple(operations, counts_of(results), results.report);
}

/// Arrays beside the one that is reduced: the second one of dot, keys of groups, weights with the
/// names of their dimensions.
struct Beside {
  std::optional<Source> with;
  std::vector<Source> by;
  std::optional<Source> weights;
  std::vector<std::string> weights_dimensions;
};

Reduction reduction_of(const Pairs& options, const Beside& beside) {
  return {.options = options_of(options),
          .with = beside.with,
          .by = beside.by,
          .weights = beside.weights,
          .weights_dimensions = beside.weights_dimensions};
}

}  // namespace

void add_reductions(py::module_& module) {
  py::class_<Beside>(module, "Beside")
      .def(py::init([](const std::optional<Source>& with, const std::vector<Source>& by,
                       const std::optional<Source>& weights,
                       const std::vector<std::string>& weights_dimensions) {
             return Beside{with, by, weights, weights_dimensions};
           }),
           py::arg("with_") = py::none(), py::arg("by") = std::vector<Source>(),
           py::arg("weights") = py::none(),
           py::arg("weights_dimensions") = std::vector<std::string>());
  module.def("reduce",
             [](PyContext& context, const Source& array, const Pairs& options, const Beside& beside,
                const py::object& progress, const py::object& log, bool here) {
               Results results;
               call(
                   context, {progress, log},
                   [&](const Run& run) {
                     results = reduce(context.get(), array, reduction_of(options, beside), run);
                   },
                   here);
               return tuple_of(results);
             });
  module.def("reduce_groups", [](PyContext& context, const Source& array, const Pairs& options,
                                 const Beside& beside, const py::object& progress,
                                 const py::object& log) {
    Results results;
    call(context, {progress, log}, [&](const Run& run) {
      results = reduce(context.get(), array, reduction_of(options, beside), run);
    });
    py::list columns;
    for (Column& column : results.columns) {
      columns.append(py::make_tuple(column.name, array_of(column.type, std::move(column.values))));
    }
    return py::make_tuple(columns, counts_of(results), results.report);
  });
  module.def("reduce_axes", [](PyContext& context, const Source& array, const Pairs& options,
                               const Beside& beside, const py::object& out,
                               const py::object& progress, const py::object& log) {
    NewArrays arrays(out);
    Results results;
    call(context, {progress, log}, [&](const Run& run) {
      results = reduce(context.get(), array, reduction_of(options, beside), arrays.place(), run);
    });
    return py::make_tuple(arrays.take(), counts_of(results), results.report);
  });
  module.def("reduce_to_files",
             [](PyContext& context, const Source& array, const Pairs& options, const Beside& beside,
                const py::object& progress, const py::object& log) {
               Results results;
               call(context, {progress, log}, [&](const Run& run) {
                 results = reduce(context.get(), array, reduction_of(options, beside), run);
               });
               return py::make_tuple(counts_of(results), results.report);
             });
  module.def("edges_of_bins", &edges_of_bins);
  module.def("map", [](PyContext& context, const Source& expression, const py::object& out,
                       const py::object& progress, const py::object& log) {
    NewArrays arrays(out);
    call(context, {progress, log},
         [&](const Run& run) { map(context.get(), expression, arrays.place(), run); });
    return arrays.take();
  });
  module.def("map_to_file", [](PyContext& context, const Source& expression, const Pairs& options,
                               const py::object& progress, const py::object& log) {
    call(context, {progress, log},
         [&](const Run& run) { map(context.get(), expression, options_of(options), run); });
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
                           const Beside& beside, std::int64_t first, const py::object& progress,
                           const py::object& log, bool here) {
    std::optional<Partial> made;
    call(
        context, {progress, log},
        [&](const Run& run) {
          made.emplace(Partial::of(context.get(), part, reduction_of(options, beside), first, run));
        },
        here);
    return std::move(*made);
  });
}

}  // namespace tessera::python
