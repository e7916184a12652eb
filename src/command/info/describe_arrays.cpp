#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "command/attribute_text.hpp"
#include "command/info/description.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/hdf5/contents.hpp"

namespace tessera::command {
namespace {

/// Any size will do: no elements are read.
constexpr std::int64_t kPieceBytes = 1 << 20;

std::string describe_elements(const store::ArraySource& array) {
  const store::ArrayInfo& info = array.info();
  return fmt::format("{}, {}{}", info.is_boolean ? "bool" : base::element_name(info.type),
                     job::format_shape(info.shape), describe_names(array.dimension_names()));
}

void describe_dataset(const store::Hdf5DatasetSummary& dataset, Description& to) {
  const std::string& name = dataset.input.dataset;
  report::Json json = {{"name", name}, {"shape", dataset.shape}};
  if (dataset.type) {
    json = dataset_json(
        name, {.type = *dataset.type, .shape = dataset.shape, .is_boolean = dataset.is_boolean},
        dataset.dimensions);
  } else {
    json["holds"] = dataset.holds;
  }
  std::string text = fmt::format("{}, {}{}", dataset.holds, job::format_shape(dataset.shape),
                                 describe_names(dataset.dimensions));
  if (!dataset.problem.empty()) {
    json["problem"] = dataset.problem;
    text += "; cannot be read: " + dataset.problem;
  }
  to.json["datasets"].push_back(std::move(json));
  to.text += row_of(name, text);
  describe_packing(dataset.packed.get(), to);
}

Description describe_datasets(const std::string& path, const store::Hdf5Contents& contents) {
  Description file{.json = {{"file", path}, {"kind", "HDF5"}}};
  file.text = head_of(path, "HDF5", file.json);
  file.json["datasets"] = report::Json::array();
  for (const store::Hdf5DatasetSummary& dataset : contents.datasets) {
    describe_dataset(dataset, file);
  }
  if (contents.more) file.text += "  ...\n";
  file.json["attributes"] = report::Json::object();
  for (const store::ShownAttribute& attribute : contents.attributes) {
    file.text += row_of(attribute.name, attribute_text(attribute));
    file.json["attributes"][attribute.name] = attribute_json(attribute);
  }
  return file;
}

/// Describes a file or folder of several arrays.
Description describe_arrays(const std::string& path, const store::ArrayDriver& driver) {
  Description file{.json = {{"file", path}, {"kind", driver.name}}};
  file.text = head_of(path, std::string(driver.name), file.json);
  file.json["datasets"] = report::Json::array();
  for (const std::string& name : driver.list(path)) {
    try {
      const job::ArrayInput input{
          .text = fmt::format("{}:{}", path, name), .path = path, .dataset = name};
      const auto array = driver.open(input, kPieceBytes);
      file.json["datasets"].push_back(dataset_json(name, array->info(), array->dimension_names()));
      file.text += row_of(name, describe_elements(*array));
      describe_packing(array->info().packed.get(), file);
    } catch (const base::Error& error) {
      file.json["datasets"].push_back({{"name", name}, {"problem", error.what()}});
      file.text += row_of(name, fmt::format("cannot be read: {}", error.what()));
    }
  }
  return file;
}

}  // namespace

Description describe_array(const std::string& text) {
  const job::ArrayInput input = job::parse_array_input(text);
  const auto array = store::open_array(input, kPieceBytes);
  const store::ArrayInfo& info = array->info();
  Description file{.json = {{"file", input.path}, {"kind", info.kind}}};
  file.text = head_of(input.path, info.kind, file.json);
  file.json["datasets"].push_back(dataset_json(info.dataset, info, array->dimension_names()));
  file.text += row_of(info.dataset.empty() ? "array" : info.dataset, describe_elements(*array));
  describe_packing(info.packed.get(), file);
  return file;
}

std::optional<Description> describe_by_driver(const std::string& path) {
  const store::PathHead head(path);
  const store::ArrayDriver* const driver = store::driver_of(head);
  if (driver == nullptr || driver->name == "HDF5") return std::nullopt;
  if (driver->list == nullptr || driver->list(path) == std::vector<std::string>{"/"}) {
    return describe_array(path);
  }
  return describe_arrays(path, *driver);
}

std::optional<Description> describe_hdf5(const std::string& path) {
  store::Hdf5Contents contents;
  try {
    contents = store::list_hdf5(path);
  } catch (const base::Error&) {
    return std::nullopt;  // describe_image() says what is wrong
  }
  if (contents.is_image) return std::nullopt;
  return describe_datasets(path, contents);
}

}  // namespace tessera::command
