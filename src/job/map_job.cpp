#include "job/map_job.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::job {
namespace {

using Text = std::string_view;
using MapOption = Option<ReduceJob>;

constexpr Text kDefaultDataset = "map";

/// Those of `reduce` that `map` has too.
constexpr std::array<Text, 11> kShared = {"overwrite", "report",     "trace",      "device",
                                          "threads",   "memory",     "slice",      "quiet",
                                          "json",      "checkpoint", "max-seconds"};

/// "FILE.h5:/c" names a dataset.
void set_map_output(ReduceJob& job, Text text, Text what) {
  const auto colon = text.find(":/");
  job.output = text.substr(0, colon);
  job.dataset = colon == text.npos ? "" : text.substr(colon + 2);
  const ArrayFormat* const format = find_array_format(job.output);
  if (format == nullptr || (colon != text.npos && (!format->has_datasets || job.dataset.empty()))) {
    throw base::usage_error("{}: '{}' is not FILE.npy, FILE.raw, FILE.h5 or FILE.h5:/dataset", what,
                            text);
  }
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

void name_outputs(ReduceJob& job) {
  std::vector<std::string> names;
  for (MappedArray& array : job.mapped) {
    if (array.text.empty()) {
      throw base::usage_error("map: an expression is empty; give one, such as 'a + b'");
    }
    if (job.mapped.size() == 1) {
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
  if (job.mapped.size() > 1 &&
      (!job.dataset.empty() || !find_array_format(job.output)->has_datasets)) {
    throw base::usage_error("--output {}: holds one array; {} fit into FILE.h5", job.output,
                            job.mapped.size());
  }
}

void check_devices(const ReduceJob& job) {
  for (const std::string& device : base::split(job.device, ',')) {
    if (!device.starts_with("cuda") && !device.starts_with("opencl")) continue;
    throw base::usage_error("--device {}: map runs on CPU cores; give cpu or reference", device);
  }
}

}  // namespace

std::span<const MapOption> map_options() {
  static const std::vector<MapOption> options = [] {
    std::vector<MapOption> all = {
        {"output", "FILE",
         "file for the array: FILE.npy, FILE.raw, FILE.h5:/dataset, or FILE.h5 with a dataset for "
         "each name",
         Scope::output, Kind::text, set_map_output, [](const ReduceJob& job) {
           return job.output + (job.dataset.empty() ? "" : ":/" + job.dataset);
         }}};
    for (const MapOption& option : reduce_options()) {
      if (std::ranges::find(kShared, option.name) != kShared.end()) all.push_back(option);
    }
    return all;
  }();
  return options;
}

ReduceJob make_map_job(Text expression, std::span<const std::string> inputs,
                       std::span<const Given> given) {
  ReduceJob job;
  apply_options(job, map_options(), given);
  if (inputs.empty()) {
    throw base::usage_error("map: name an INPUT behind the expression; see tessera map --help");
  }
  if (job.output.empty()) {
    throw base::usage_error("map: say where the array goes, with --output FILE.npy or FILE.h5");
  }
  set_expression(job, expression);
  std::size_t from = 0;
  while (from <= job.map.size()) {
    const std::size_t end = std::min(job.map.find(';', from), job.map.size());
    job.mapped.push_back(parse_mapped(Text(job.map).substr(from, end - from)));
    from = end + 1;
  }
  name_outputs(job);
  check_devices(job);
  set_named_inputs(job, inputs);
  return job;
}

}  // namespace tessera::job
