// The options of `tessera reduce`, each declared once.
#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/arrays/input_name.hpp"
#include "job/arrays/reduce_job.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using ReduceOption = Option<ReduceJob>;

constexpr std::array<Text, 2> kNanNames = {"propagate", "skip"};
void set_operations(ReduceJob& job, Text text, Text what) {
  OperationList list = parse_operations(text, what);
  job.operations = std::move(list.operations);
  static_cast<OperationValues&>(job) = std::move(list);
}

void set_axes(ReduceJob& job, Text text, Text what) {
  constexpr std::int64_t kMax = 1000;
  job.axes.clear();
  for (const std::string& part : base::split(text, ',')) {
    const std::string axis(base::trim(part));
    const bool is_number = axis.find_first_not_of("+-.0123456789") == axis.npos;
    job.axes.push_back(is_number ? std::to_string(base::parse_integer(axis, what, -kMax, kMax))
                                 : axis);
  }
  if (job.axes.empty()) throw base::usage_error("{}: names no axis; give one, such as 0", what);
}

void set_keys(ReduceJob& job, Text text, Text what) {
  const std::vector<std::string> keys = split_inputs(text);
  if (keys.empty()) throw base::usage_error("{}: names no key; give an INPUT", what);
  job.by.clear();
  for (const std::string& key : keys) {
    try {
      job.by.push_back(parse_array_input(key));
    } catch (const base::Error& error) {
      if (keys.size() == 1) throw;
      throw base::Error(error.code(), fmt::format("{} {}: {}; a comma within a name is \\x2c", what,
                                                  text, error.what()));
    }
  }
}

std::string joined(const std::vector<std::string>& names) {
  return base::join(names, ",");
}

std::vector<std::string> split_names(Text text, Text what) {
  std::vector<std::string> names;
  for (const std::string& part : base::split(text, ',')) {
    parse_name(part, what);
    names.push_back(part);
  }
  if (names.empty()) throw base::usage_error("{}: names no file", what);
  return names;
}

void set_output(ReduceJob& job, Text text, Text what) {
  text = without_end_slash(text);
  const bool is_text = text.ends_with(".csv") || text.ends_with(".json");
  if (find_array_format(text) == nullptr && !is_text) {
    throw base::usage_error(
        "{}: '{}' ends in none of .npy, .h5, .nc, .zarr and .raw, nor, for --by, in .csv or .json",
        what, text);
  }
  job.output = text;
}

/// "lat,lon=INPUT"; names before an equals sign, unless a file has that very name.
void set_weights(ReduceJob& job, Text text, Text what) {
  const std::size_t equals = text.find('=');
  const bool is_named = equals != text.npos && equals > 0 && !is_input(text) &&
                        text.substr(0, equals).find_first_of("./:?[") == text.npos;
  job.weights = parse_array_input(is_named ? text.substr(equals + 1) : text);
  if (is_named) job.weights->dimensions = parse_dimension_names(text.substr(0, equals), what);
}

std::string weights_text(const ReduceJob& job) {
  if (!job.weights) return "";
  const std::string names = base::join(job.weights->dimensions, ",");
  return names + (names.empty() ? "" : "=") + job.weights->text;
}

std::vector<ReduceOption> answer_options() {
  static const std::string list = "operations: " + operations_help();
  return {
      {"op", "LIST", list, Scope::output, Kind::list, set_operations,
       [](const ReduceJob& job) { return format_operations(job.operations, job); }},
      {"map", "EXPRESSION",
       "reduce this expression of the inputs, which are named as NAME=INPUT, or a, b, c, ... in "
       "order: 'sqrt(a*a + b*b)'",
       Scope::output, Kind::text,
       [](ReduceJob& job, Text text, Text) { set_expression(job, text); },
       [](const ReduceJob& job) { return job.map; }},
      {"axis", "K[,K...]",
       "reduce over these axes and keep the others: names or numbers of dimensions; negative "
       "numbers count from the end",
       Scope::output, Kind::list, set_axes,
       [](const ReduceJob& job) { return fmt::format("{}", fmt::join(job.axes, ",")); }},
      array_option<ReduceJob>(ArrayOption::dims),
      {"by", "KEYS",
       "group the elements: KEYS is an INPUT of integers of the shape of the array, or several "
       "with commas between; each group gets its own results, for --axis as an array",
       Scope::output, Kind::list, set_keys, &keys_text},
      {"bins", "LO,HI,N|edges=E,...|FILE[;...]",
       "group by parts of a range: N equal parts of LO to HI, or between the edges E, or those in "
       "FILE (.npy or text); of several keys with semicolons between, and nothing for one of "
       "integers",
       Scope::output, Kind::text,
       [](ReduceJob& job, Text text, Text what) {
         if (base::trim(text).empty()) throw base::usage_error("{}: give LO,HI,N or a file", what);
         job.bins = found_name(text);
       },
       [](const ReduceJob& job) { return job.bins; }},
      optional_number(
          {"groups", "N", "the keys are 0 to N-1; groups without elements are in the table too",
           Scope::output},
          &ReduceJob::groups, 1, std::int64_t{1} << 40),
      {"output", "FILE",
       "file for the array of --axis: FILE.npy for one operation, FILE.h5 or FILE.zarr with a "
       "dataset for each operation; for the table of --by: FILE.h5, FILE.npy, FILE.csv or "
       "FILE.json",
       Scope::output, Kind::text, set_output, [](const ReduceJob& job) { return job.output; }},
      array_option<ReduceJob>(ArrayOption::overwrite),
      parsed({"state", "FILE[,FILE...]",
              "keep the exact state of the answers in FILE; without INPUT, print the answers of "
              "these files together",
              Scope::output, Kind::list},
             &ReduceJob::states, split_names, joined),
      {"append", "",
       "add INPUT to the arrays of --state FILE, which begins if it is not there; without INPUT, "
       "add the other files to the first",
       Scope::output, Kind::toggle,
       [](ReduceJob& job, Text text, Text what) { job.append = parse_toggle(text, what); },
       [](const ReduceJob& job) { return job.append ? "true" : ""; }},
      {"weights", "[DIMS=]INPUT",
       "weights of the elements, for sum, mean, var, std, median, quantile and count: of the shape "
       "of the array, or of its last dimensions, or of those that DIMS names, as lat=cos_lat.npy",
       Scope::output, Kind::text, set_weights, &weights_text},
      {"with", "INPUT", "second array of dot, cov and corr, of the same shape", Scope::output,
       Kind::text, [](ReduceJob& job, Text text, Text) { job.with = parse_array_input(text); },
       [](const ReduceJob& job) { return job.with ? job.with->text : ""; }},
      {"ddof", "N", "var and std divide by the number of elements minus N", Scope::output,
       Kind::integer,
       [](ReduceJob& job, Text text, Text what) {
         job.ddof = base::parse_integer(text, what, 0, std::int64_t{1} << 62);
       },
       [](const ReduceJob& job) { return std::to_string(job.ddof); }},
      {"nan", "POLICY", "propagate: a NaN makes the result NaN; skip: ignore NaN elements",
       Scope::output, Kind::text,
       [](ReduceJob& job, Text text, Text what) {
         job.nan = static_cast<NanPolicy>(find_name(kNanNames, base::trim(text), what, "policy"));
       },
       [](const ReduceJob& job) {
         return std::string(kNanNames[static_cast<std::size_t>(job.nan)]);
       }},
      array_option<ReduceJob>(ArrayOption::raw),
      array_option<ReduceJob>(ArrayOption::missing),
      {"quantile-method", "NAME",
       "how a quantile between two elements is found, by NumPy's names: linear, lower, hazen, ...",
       Scope::output, Kind::text,
       [](ReduceJob& job, Text text, Text what) {
         job.quantile_method = static_cast<QuantileMethod>(
             find_name(quantile_methods(), base::trim(text), what, "method"));
       },
       [](const ReduceJob& job) {
         if (job.quantiles.empty()) return std::string();
         return std::string(method_name(job.quantile_method));
       }},
  };
}

ReduceOption checkpoint_file() {
  return {"checkpoint-file",
          "FILE",
          "where an unfinished run keeps its state [tessera-reduce-JOB.checkpoint]",
          Scope::run,
          Kind::text,
          [](ReduceJob& job, Text text, Text what) {
            parse_name(text, what);
            job.checkpoint_file = text;
          },
          [](const ReduceJob& job) { return job.checkpoint_file; }};
}

}  // namespace

std::span<const Option<ReduceJob>> reduce_options() {
  static const std::vector<ReduceOption> options = [] {
    std::vector<ReduceOption> all = answer_options();
    using enum RunOption;
    add_run_options(all, {report, trace, report_html, serve, serve_listen, no_token, device,
                          threads, isolate, device_timeout, memory, device_memory});
    all.push_back(array_option<ReduceJob>(ArrayOption::slice));
    add_run_options(all, {quiet, json, checkpoint});
    all.push_back(checkpoint_file());
    add_run_options(all, {max_seconds, pool, pool_shares, pool_lease});
    return all;
  }();
  return options;
}

}  // namespace tessera::job
