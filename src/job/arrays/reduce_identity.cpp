#include "job/arrays/reduce_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/hash.hpp"
#include "base/printable.hpp"

namespace tessera::job {

namespace {

constexpr std::array<std::string_view, 11> kWhatDecides = {
    "op",  "map",    "axis", "dims", "bins", "groups", "ddof", "nan", "quantile-method",
    "raw", "missing"};

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

/// Text that is the same from any working directory, and on one line.
std::string absolute_text(const ArrayInput& input) {
  if (!input.is_in_file()) return input.text;
  return base::escaped(absolute_path(input.path)) + base::escaped(input.tail);
}

bool writes_datasets(const MapJob& job) {
  return std::ranges::any_of(job.mapped,
                             [](const MappedArray& array) { return has_datasets(array.file); });
}

std::string input_lines(const ArrayJob& job) {
  std::string text;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    const std::string name = job.names.empty() ? "" : job.names[i] + "=";
    text += fmt::format("input {}{}\n", name, absolute_text(job.inputs[i]));
  }
  return text;
}

std::string option_lines(const ReduceJob& job) {
  std::string text;
  for (const auto& option : reduce_options()) {
    const std::string value = decides_numbers(option) ? option.get(job) : "";
    if (!value.empty()) text += fmt::format("{} {}\n", option.name, base::escaped(value));
  }
  return text;
}

}  // namespace

bool decides_numbers(const Option<ReduceJob>& option) {
  return std::ranges::find(kWhatDecides, option.name) != kWhatDecides.end();
}

std::string identity(const ReduceJob& job) {
  std::string text = input_lines(job);
  if (job.with) text += fmt::format("with {}\n", absolute_text(*job.with));
  if (job.weights) {
    text += fmt::format("weights {}={}\n", fmt::join(job.weights->dimensions, ","),
                        absolute_text(*job.weights));
  }
  for (const ArrayInput& key : job.by) text += fmt::format("by {}\n", absolute_text(key));
  return text + option_lines(job);
}

std::string identity(const MapJob& job) {
  std::string text = input_lines(job);
  if (!job.dataset.empty()) text += fmt::format("dataset {}\n", base::escaped(job.dataset));
  for (const NamedOutput& output : job.outputs) {
    text += fmt::format("dataset {}\noutput {} {}\n", base::escaped(output.dataset), output.name,
                        base::escaped(absolute_path(output.file)));
  }
  if (writes_datasets(job)) {
    text += fmt::format("compress {}\nchunk {}\n", job.compress, format_shape(job.chunk));
  }
  return text + option_lines(as_reduction(job));
}

std::string fingerprint(const ReduceJob& job) {
  return fmt::format("{:016x}", base::fnv1a(identity(job)));
}

}  // namespace tessera::job
