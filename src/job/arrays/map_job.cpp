#include "job/arrays/map_job.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/text.hpp"
#include "job/arrays/input_name.hpp"
#include "job/run_options.hpp"

namespace tessera::job {
namespace {

using Text = std::string_view;
using MapOption = Option<MapJob>;

constexpr Text kDefaultDataset = "map";

/// Splits "FILE.h5:/c", which names a dataset.
NamedOutput parse_file(Text text, Text what) {
  const std::string path = base::user_path(text, what);
  const std::size_t colon = find_output_dataset(path);
  NamedOutput output{.name = "", .file = std::string(without_end_slash(path.substr(0, colon)))};
  if (colon != path.npos) output.dataset = path.substr(colon + 2);
  const ArrayFormat* const format = find_array_format(output.file);
  if (format == nullptr ||
      (colon != path.npos && (!format->has_datasets || output.dataset.empty()))) {
    if (text == "-") {
      throw base::usage_error("{}: an array is not written to standard output; give a file", what);
    }
    throw base::usage_error(
        "{}: '{}' is not FILE.npy, FILE.raw, FILE.h5, FILE.h5:/dataset or FILE.zarr", what, text);
  }
  return output;
}

/// "c=FILE" is the file of one expression.
void set_map_output(MapJob& job, Text text, Text what) {
  const std::size_t end = length_of_name(text);
  if (end > 0 && text.substr(end).starts_with('=')) {
    NamedOutput output = parse_file(text.substr(end + 1), what);
    output.name = text.substr(0, end);
    if (std::ranges::find(job.outputs, output.name, &NamedOutput::name) != job.outputs.end()) {
      throw base::usage_error("{} {}: '{}' has a file already", what, text, output.name);
    }
    job.outputs.push_back(std::move(output));
    return;
  }
  const NamedOutput output = parse_file(text, what);
  job.output = output.file;
  job.dataset = output.dataset;
}

std::string format_outputs(const MapJob& job) {
  const auto format = [](const std::string& file, const std::string& dataset) {
    return file + (dataset.empty() ? "" : ":/" + dataset);
  };
  if (job.outputs.empty()) return format(job.output, job.dataset);
  std::vector<std::string> texts;
  for (const NamedOutput& output : job.outputs) {
    texts.push_back(output.name + "=" + format(output.file, output.dataset));
  }
  return base::join(texts, " ");
}

/// "c = a + b" as a name and an expression; the name is "" in "a + b" and in "a == b".
MappedArray parse_mapped(Text text) {
  const Text whole = base::trim(text);
  const auto equals = whole.find('=');
  if (equals == whole.npos || whole.substr(equals + 1).starts_with('=')) {
    return {"", std::string(whole)};
  }
  const Text name = base::trim(whole.substr(0, equals));
  if (name.empty() || length_of_name(name) != name.size()) return {"", std::string(whole)};
  return {std::string(name), std::string(base::trim(whole.substr(equals + 1)))};
}

void name_expressions(MapJob& job) {
  std::vector<std::string> names;
  for (MappedArray& array : job.mapped) {
    if (array.text.empty()) {
      throw base::usage_error("map: an expression is empty; give one, such as 'a + b'");
    }
    if (job.mapped.size() == 1 && job.outputs.empty()) {
      if (array.name.empty()) array.name = job.dataset.empty() ? kDefaultDataset : job.dataset;
    } else if (array.name.empty()) {
      throw base::usage_error("map: '{}' has no name; several arrays are 'c = a + b; d = a - b'",
                              array.text);
    }
    if (std::ranges::find(names, array.name) != names.end()) {
      throw base::usage_error("map: two arrays are named '{}'", array.name);
    }
    names.push_back(array.name);
  }
}

/// All expressions in one file.
void place_together(MapJob& job) {
  for (MappedArray& array : job.mapped) array.file = job.output;
  if (job.mapped.size() == 1) return;
  if (has_datasets(job.output) && job.dataset.empty()) return;
  throw base::usage_error("--output {}: holds one array; {} fit into FILE.h5, or give NAME=FILE",
                          job.output, job.mapped.size());
}

/// Each expression in the file of its name.
void place_apart(MapJob& job) {
  if (!job.output.empty()) {
    throw base::usage_error("--output {}: other outputs have names; write NAME={}", job.output,
                            job.output);
  }
  for (const NamedOutput& output : job.outputs) {
    if (std::ranges::find(job.mapped, output.name, &MappedArray::name) != job.mapped.end()) {
      continue;
    }
    throw base::usage_error(
        "--output {0}={1}: no expression is named '{0}'; for a file of that name write ./{0}={1}",
        output.name, output.file);
  }
  for (MappedArray& array : job.mapped) {
    const auto output = std::ranges::find(job.outputs, array.name, &NamedOutput::name);
    if (output == job.outputs.end()) {
      throw base::usage_error("map: '{}' has no file; give --output {}=FILE", array.name,
                              array.name);
    }
    const auto twin = std::ranges::find(job.mapped, output->file, &MappedArray::file);
    if (twin != job.mapped.end()) {
      throw base::usage_error(
          "--output {}={}: is the file of '{}' too; for one file with all arrays give --output "
          "FILE.h5",
          output->name, output->file, twin->name);
    }
    array.file = output->file;
    if (!output->dataset.empty()) array.name = output->dataset;
  }
  job.output = job.mapped.front().file;
}

/// --compress and --chunk are for datasets; other formats have neither.
void check_storage(const MapJob& job, std::span<const Given> given) {
  if (std::ranges::any_of(output_files(job), has_datasets)) return;
  for (const Given& one : given) {
    if (one.name != "compress" && one.name != "chunk") continue;
    throw base::usage_error("{}: {} has no chunks; FILE.h5 and FILE.zarr have", one.origin,
                            job.output);
  }
}

void set_chunk(MapJob& job, Text text, Text what) {
  job.chunk = text == "auto" ? Shape() : parse_shape(text, what);
  if (std::ranges::find(job.chunk, 0) == job.chunk.end()) return;
  throw base::usage_error("{}: '{}' has a side of 0", what, text);
}

std::vector<MapOption> storage_options() {
  return {
      {"compress", "0..3",
       "compression of FILE.h5 and FILE.zarr, by all cores: 0 none, 1 fast, 2 smaller, 3 smallest",
       Scope::output, Kind::integer,
       [](MapJob& job, Text text, Text what) {
         job.compress = static_cast<int>(base::parse_integer(text, what, 0, 3));
       },
       [](const MapJob& job) { return std::to_string(job.compress); }},
      {"chunk", "SHAPE|auto",
       "shape of a chunk in FILE.h5 or FILE.zarr, such as 100x200; auto = that of the first INPUT "
       "in chunks, or "
       "whole rows of 1 MiB together; none with --compress 0",
       Scope::output, Kind::text, set_chunk,
       [](const MapJob& job) { return job.chunk.empty() ? "auto" : format_shape(job.chunk); }},
  };
}

/// Appends the expressions of a text, with semicolons between.
void add_expressions(MapJob& job, Text text) {
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    job.mapped.push_back(parse_mapped(text.substr(from, end - from)));
    from = end + 1;
  }
}

/// Whether an argument behind the first is an expression: an output has its name, and no expression
/// so far.
bool is_expression(const MapJob& job, Text argument) {
  const MappedArray array = parse_mapped(argument.substr(0, argument.find(';')));
  return !array.name.empty() &&
         std::ranges::find(job.outputs, array.name, &NamedOutput::name) != job.outputs.end() &&
         std::ranges::find(job.mapped, array.name, &MappedArray::name) == job.mapped.end();
}

}  // namespace

std::span<const MapOption> map_options() {
  static const std::vector<MapOption> options = [] {
    std::vector<MapOption> all = {
        {"output", "[NAME=]FILE",
         "file for the array: FILE.npy, FILE.raw, FILE.h5:/dataset, or FILE.h5 or FILE.zarr (a "
         "folder) with a dataset for each name; or, once for each expression, the file of the "
         "expression of that name",
         Scope::output, Kind::text, set_map_output, format_outputs}};
    for (MapOption& option : storage_options()) all.push_back(std::move(option));
    for (const ArrayOption row :
         {ArrayOption::dims, ArrayOption::overwrite, ArrayOption::raw, ArrayOption::missing}) {
      all.push_back(array_option<MapJob>(row));
    }
    using enum RunOption;
    add_run_options(
        all, {report, trace, device, threads, isolate, device_timeout, memory, device_memory});
    all.push_back(array_option<MapJob>(ArrayOption::slice));
    add_run_options(all, {quiet, json, checkpoint, max_seconds});
    return all;
  }();
  return options;
}

MapJob make_map_job(Text expression, std::span<const std::string> arguments,
                    std::span<const Given> given) {
  MapJob job;
  apply_options(job, map_options(), given);
  set_expression(job, expression);
  add_expressions(job, job.map);
  std::string whole = job.map;
  while (!arguments.empty() && is_expression(job, arguments.front())) {
    set_expression(job, arguments.front());
    add_expressions(job, job.map);
    whole += "; " + job.map;
    arguments = arguments.subspan(1);
  }
  job.map = whole;
  if (arguments.empty()) {
    throw base::usage_error("map: name an INPUT behind the expression; see tessera map --help");
  }
  if (job.output.empty() && job.outputs.empty()) {
    throw base::usage_error("map: say where the array goes, with --output FILE.npy or FILE.h5");
  }
  name_expressions(job);
  if (job.outputs.empty()) {
    place_together(job);
  } else {
    place_apart(job);
  }
  check_storage(job, given);
  set_named_inputs(job, arguments);
  name_dimensions(job);
  return job;
}

std::vector<std::string> output_files(const MapJob& job) {
  if (job.output.empty()) return {};
  if (job.outputs.empty()) return {job.output};
  std::vector<std::string> files;
  for (const MappedArray& array : job.mapped) files.push_back(array.file);
  return files;
}

ReduceJob as_reduction(const MapJob& job) {
  ReduceJob reduction;
  static_cast<ArrayJob&>(reduction) = job;
  reduction.output = base::join(output_files(job), " ");
  return reduction;
}

}  // namespace tessera::job
