#include "binding/images.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "binding/arrays.hpp"
#include "binding/calls.hpp"
#include "tessera/image.hpp"

namespace tessera::python {
namespace {

constexpr const char* kFields[] = {"iterations", "smooth",     "distance", "fraction",
                                   "gradient_x", "gradient_y", "phase"};

std::string name_of(Field field) {
  return kFields[static_cast<int>(field)];
}

Field field_of(const std::string& name) {
  const auto* const found = std::find(std::begin(kFields), std::end(kFields), name);
  if (found != std::end(kFields)) return static_cast<Field>(found - std::begin(kFields));
  throw Error(Code::usage, "there is no field '" + name + "'");
}

/// Renders into arrays of the shape and the types of the image, by the names of the fields.
Report render_into(PyContext& context, const ImageSpec& image,
                   const std::map<std::string, py::array>& arrays, const py::object& progress,
                   const py::object& log) {
  std::vector<FieldMemory> fields;
  for (const auto& [name, array] : arrays) {
    const Field field = field_of(name);
    const bool fits = array.ndim() == 2 && array.shape(0) == image.height_px() &&
                      array.shape(1) == image.width_px() && array.itemsize() == array.strides(1) &&
                      code_of(image.type(field)) ==
                          py::str(array.dtype().attr("str")).cast<std::string>().substr(1);
    if (!fits)
      throw Error(Code::usage, "the array for " + name + " does not have the image's rows");
    fields.push_back({field, const_cast<py::array&>(array).mutable_data(),
                      static_cast<std::size_t>(array.strides(0))});
  }
  Report report;
  call(context, {progress, log},
       [&](const Run& run) { report = render(context.get(), image, fields, run); });
  return report;
}

Report render_files(PyContext& context, const ImageSpec& image, const py::object& progress,
                    const py::object& log) {
  Report report;
  call(context, {progress, log},
       [&](const Run& run) { report = render(context.get(), image, run); });
  return report;
}

/// The f32 of an array; null for None.
const float* floats_of(const py::object& field) {
  return field.is_none() ? nullptr : static_cast<const float*>(field.cast<py::array>().data());
}

/// `shading`: distance, gradient_x and gradient_y, or None for each; `missing`: of u1, or None.
py::bytes picture_of(const py::array& values, const std::array<py::object, 3>& shading,
                     const py::object& missing, std::uint64_t limit, bool beyond_f64,
                     const Pairs& look) {
  ImageValues image{.width = values.shape(1),
                    .height = values.shape(0),
                    .limit = limit,
                    .values = view_of(values),
                    .distance = floats_of(shading[0]),
                    .beyond_f64 = beyond_f64,
                    .gradient_x = floats_of(shading[1]),
                    .gradient_y = floats_of(shading[2])};
  if (!missing.is_none()) {
    image.missing = static_cast<const std::uint8_t*>(missing.cast<py::array>().data());
  }
  std::vector<std::byte> file;
  {
    const py::gil_scoped_release no_gil;
    file = picture(image, options_of(look));
  }
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

}  // namespace

void add_images(py::module_& module) {
  py::class_<ImageSpec>(module, "ImageSpec")
      .def(py::init([](const Pairs& options) { return ImageSpec(options_of(options)); }))
      .def_property_readonly("width", &ImageSpec::width_px)
      .def_property_readonly("height", &ImageSpec::height_px)
      .def_property_readonly("limit", &ImageSpec::iterations)
      .def_property_readonly("beyond_f64", &ImageSpec::beyond_f64)
      .def_property_readonly("re", &ImageSpec::re)
      .def_property_readonly("im", &ImageSpec::im)
      .def_property_readonly("place", [](const ImageSpec& image) -> Pairs { return image.place(); })
      .def_property_readonly("types", [](const ImageSpec& image) {
        std::vector<std::pair<std::string, std::string>> types;
        for (const Field field : image.fields()) {
          types.emplace_back(name_of(field), code_of(image.type(field)));
        }
        return types;
      });
  module.def("render_into", &render_into);
  module.def("render_files", &render_files);
  module.def("picture", &picture_of);
  module.def("image_options",
             [](const std::string& path) -> Pairs { return options_of_image(path); });
  module.def("missing_tiles", [](const std::string& path) {
    std::vector<std::array<std::int64_t, 4>> tiles;
    for (const auto& [x, y, width, height] : missing_tiles(path)) {
      tiles.push_back({x, y, width, height});
    }
    return tiles;
  });
  module.def("palettes", &palettes);
  module.def("views", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const NamedView& view : views()) all.emplace_back(view.name, view.description);
    return all;
  });
}

}  // namespace tessera::python
