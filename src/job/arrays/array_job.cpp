#include "job/arrays/array_job.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/arrays/input_name.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using ArrayRow = Option<ArrayJob>;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
// crossed by: test_slices_that_are_the_least_and_the_most
constexpr std::uint64_t kMinSliceBytes = 4096;
constexpr std::uint64_t kMaxSliceBytes = std::uint64_t{1} << 30;

std::uint64_t parse_slice(Text text, Text what) {
  const std::uint64_t bytes = base::parse_bytes(text, what);
  if (bytes >= kMinSliceBytes && bytes <= kMaxSliceBytes) return bytes;
  throw base::usage_error("{}: '{}' is outside 4K..1G", what, text);
}

/// VALUE[,VALUE...]; "nan" among them makes missing elements NaN.
void set_missing(ArrayJob& job, Text text, Text what) {
  job.decoding.missing.clear();
  job.decoding.as_nan = false;
  for (const std::string& part : base::split(text, ',')) {
    const std::string value(base::trim(part));
    if (value == "nan" || value == "NaN") {
      job.decoding.as_nan = true;
      continue;
    }
    base::parse_real(value, what);
    job.decoding.missing.push_back(value);
  }
  if (job.decoding.missing.empty() && !job.decoding.as_nan) {
    throw base::usage_error("{}: names no value; give one, such as -999", what);
  }
}

std::string format_missing(const ArrayJob& job) {
  std::vector<std::string> values = job.decoding.missing;
  if (job.decoding.as_nan) values.emplace_back("nan");
  return base::join(values, ",");
}

/// In the order of ArrayOption.
std::vector<ArrayRow> make_array_rows() {
  return {
      parsed({"dims", "NAME[,NAME...]",
              "names of the dimensions of INPUT, for --axis time and INPUT[time=0:31], if the file "
              "has none or others",
              Scope::output, Kind::list},
             &ArrayJob::dimensions, parse_dimension_names,
             [](const std::vector<std::string>& names) { return base::join(names, ","); }),
      {"overwrite", "", "replace an existing output file or checkpoint; never resume",
       Scope::output, Kind::toggle,
       [](ArrayJob& job, Text text, Text what) { job.overwrite = parse_toggle(text, what); },
       [](const ArrayJob& job) { return job.overwrite ? "true" : ""; }},
      {"raw", "",
       "take the numbers as they are stored: ignore _FillValue, scale_factor, valid_range, ...",
       Scope::output, Kind::toggle,
       [](ArrayJob& job, Text text, Text what) { job.decoding.raw = parse_toggle(text, what); },
       [](const ArrayJob& job) { return job.decoding.raw ? "true" : ""; }},
      {"missing", "VALUE[,VALUE...]",
       "treat these stored values as missing, beside _FillValue and missing_value; nan: missing "
       "elements become NaN, for which --nan decides",
       Scope::output, Kind::list, set_missing, format_missing},
      parsed({"slice", "SIZE", "bytes of the array that a thread reads at a time", Scope::run,
              Kind::number},
             &ArrayJob::slice_bytes, parse_slice, format_memory),
  };
}

}  // namespace

const ArrayRow& array_option_row(ArrayOption which) {
  static const std::vector<ArrayRow> rows = make_array_rows();
  return rows[static_cast<std::size_t>(which)];
}

void name_dimensions(ArrayJob& job) {
  for (ArrayInput& input : job.inputs) {
    input.dimensions = job.dimensions;
    // Arrays of an expression broadcast.
    input.has_these_dimensions = job.map.empty();
  }
}

void set_expression(ArrayJob& job, std::string_view text) {
  job.map = base::trim(text);
  for (char& c : job.map) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  if (job.map.empty()) {
    throw base::usage_error("map: the expression is empty; give one, such as 'a*b + 1'");
  }
}

void set_named_inputs(ArrayJob& job, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    const std::size_t end = length_of_input_name(input);
    const bool named = end > 0;
    const std::size_t place = job.names.size();
    if (!named && place >= kLetters.size()) {
      throw base::usage_error("{}: only {} arrays go without a name; write NAME={}", input,
                              kLetters.size(), input);
    }
    std::string name = named ? input.substr(0, end) : std::string(1, kLetters[place]);
    if (std::ranges::find(job.names, name) != job.names.end()) {
      throw base::usage_error("{}: another array is named '{}'; write NAME=INPUT", input, name);
    }
    job.names.push_back(std::move(name));
    job.inputs.push_back(parse_array_input(named ? input.substr(end + 1) : input));
    job.inputs.back().decoding = job.decoding;
  }
}

std::string input_text(const ArrayJob& job) {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    inputs.push_back((job.names.empty() ? "" : job.names[i] + "=") + job.inputs[i].text);
  }
  return base::join(inputs, " ");
}

}  // namespace tessera::job
