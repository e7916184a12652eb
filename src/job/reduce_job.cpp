#include "job/reduce_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/isolation_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using Job = ReduceJob;
using ReduceOption = Option<ReduceJob>;

constexpr std::array<Text, 18> kOperationNames = {
    "sum",    "prod",  "mean",  "var",     "std",           "min", "max", "argmin", "argmax",
    "minmax", "norm1", "norm2", "norminf", "count_nonzero", "any", "all", "dot",    "histogram"};
constexpr std::array<Text, 2> kNanNames = {"propagate", "skip"};
/// Their counts come back with every slice.
constexpr std::int64_t kMostBins = 65536;
constexpr std::uint64_t kLeastSliceBytes = 4096;
constexpr std::uint64_t kMostSliceBytes = std::uint64_t{1} << 30;

std::vector<std::string> known(std::span<const Text> names) {
  return {names.begin(), names.end()};
}

std::size_t find_name(std::span<const Text> names, Text name, Text what, Text thing) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw base::usage_error("{}: there is no {} '{}'; {}", what, thing, name,
                          suggestion(name, known(names)));
}

bool is_operation(Text part) {
  return std::ranges::find(kOperationNames, part.substr(0, part.find('='))) !=
         kOperationNames.end();
}

/// "BINS" or "BINS,LO,HI", the parts of which `parts` has apart.
Histogram parse_histogram(std::span<const std::string> parts, Text what) {
  if (parts.size() != 1 && parts.size() != 3) {
    throw base::usage_error("{}: a histogram is histogram=BINS or histogram=BINS,LO,HI", what);
  }
  Histogram histogram{.bins = base::parse_integer(parts[0], what, 1, kMostBins)};
  if (parts.size() == 1) return histogram;
  const double low = base::parse_real(parts[1], what);
  const double high = base::parse_real(parts[2], what);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw base::usage_error("{}: a histogram from {} to {} has no width that is a number", what,
                            parts[1], parts[2]);
  }
  histogram.range = {low, high};
  return histogram;
}

void add_operation(Job& job, Text name, Text what) {
  const auto operation =
      static_cast<Operation>(find_name(kOperationNames, name, what, "operation"));
  if (std::ranges::find(job.operations, operation) != job.operations.end()) {
    throw base::usage_error("{}: '{}' is named twice; once is enough", what, name);
  }
  job.operations.push_back(operation);
}

void set_operations(Job& job, Text text, Text what) {
  job.operations.clear();
  std::vector<std::string> parts = base::split(text, ',');
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t next = i + 1;
    const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
    const std::string name = parts[i].substr(0, equals);
    add_operation(job, name, what);
    const bool histogram = job.operations.back() == Operation::histogram;
    if (histogram != (equals < parts[i].size())) {
      throw base::usage_error("{}: {}", what,
                              histogram ? "a histogram is histogram=BINS or histogram=BINS,LO,HI"
                                        : fmt::format("'{}' takes no value", name));
    }
    if (histogram) {
      // The commas of a histogram are those of the list: its numbers are what names no operation.
      while (next < parts.size() && next < i + 3 && !is_operation(parts[next])) ++next;
      parts[i].erase(0, equals + 1);
      job.histogram = parse_histogram(std::span(parts).subspan(i, next - i), what);
    }
    i = next;
  }
  if (job.operations.empty()) {
    throw base::usage_error("{}: names no operation; there are {}", what,
                            base::join(known(kOperationNames)));
  }
}

std::string format_operations(const Job& job) {
  std::vector<std::string> names;
  for (const Operation operation : job.operations) {
    names.emplace_back(operation_name(operation));
    if (operation != Operation::histogram) continue;
    names.back() += fmt::format("={}", job.histogram.bins);
    if (const auto& range = job.histogram.range) {
      names.back() += fmt::format(",{},{}", range->first, range->second);
    }
  }
  return base::join(names, ",");
}

void set_axes(Job& job, Text text, Text what) {
  constexpr std::int64_t kMost = 1000;
  job.axes.clear();
  for (const std::string& part : base::split(text, ',')) {
    job.axes.push_back(base::parse_integer(part, what, -kMost, kMost));
  }
  if (job.axes.empty()) throw base::usage_error("{}: names no axis; give one, such as 0", what);
}

void set_output(Job& job, Text text, Text what) {
  if (!text.ends_with(".npy") && !text.ends_with(".h5") && !text.ends_with(".hdf5")) {
    throw base::usage_error("{}: '{}' ends neither in .npy nor in .h5", what, text);
  }
  job.output = text;
}

std::uint64_t parse_slice(Text text, Text what) {
  const std::uint64_t bytes = base::parse_bytes(text, what);
  if (bytes >= kLeastSliceBytes && bytes <= kMostSliceBytes) return bytes;
  throw base::usage_error("{}: '{}' is outside 4K..1G", what, text);
}

std::vector<ReduceOption> answer_options() {
  return {
      {"op", "LIST",
       "of sum prod mean var std min max argmin argmax minmax norm1 norm2 norminf count_nonzero "
       "any all dot histogram=BINS[,LO,HI]",
       Scope::output, Kind::list, set_operations, format_operations},
      {"axis", "K[,K...]",
       "reduce over these axes, negative ones counted from the end, and keep the others: makes an "
       "array",
       Scope::output, Kind::list, set_axes,
       [](const Job& job) { return fmt::format("{}", fmt::join(job.axes, ",")); }},
      {"output", "FILE",
       "where the array of --axis goes: FILE.npy for one operation, FILE.h5 with a dataset for "
       "each",
       Scope::output, Kind::text, set_output, [](const Job& job) { return job.output; }},
      {"overwrite", "", "replace what is already there: a file, and what an earlier run left",
       Scope::output, Kind::toggle,
       [](Job& job, Text text, Text what) { job.overwrite = parse_toggle(text, what); },
       [](const Job& job) { return job.overwrite ? "true" : ""; }},
      {"with", "INPUT", "the other array of dot, of the same shape", Scope::output, Kind::text,
       [](Job& job, Text text, Text) { job.with = text; }, [](const Job& job) { return job.with; }},
      {"ddof", "N", "var and std divide by the number of elements less this", Scope::output,
       Kind::number,
       [](Job& job, Text text, Text what) {
         job.ddof = base::parse_integer(text, what, 0, std::int64_t{1} << 62);
       },
       [](const Job& job) { return std::to_string(job.ddof); }},
      {"nan", "POLICY", "propagate, or skip as if NaN were not in the array", Scope::output,
       Kind::text,
       [](Job& job, Text text, Text what) {
         job.nan = static_cast<NanPolicy>(find_name(kNanNames, base::trim(text), what, "policy"));
       },
       [](const Job& job) { return std::string(kNanNames[static_cast<std::size_t>(job.nan)]); }},
      {"report", "FILE.json", "answers and timings for machines ('' = none)", Scope::output,
       Kind::text, [](Job& job, Text text, Text) { job.report = text; },
       [](const Job& job) { return job.report; }},
  };
}

ReduceOption whole_number(ReduceOption option, int Job::*member, int least, int most) {
  option.kind = Kind::number;
  option.set = [=](Job& job, Text text, Text what) {
    job.*member = static_cast<int>(base::parse_integer(text, what, least, most));
  };
  option.get = [=](const Job& job) { return std::to_string(job.*member); };
  return option;
}

std::vector<ReduceOption> restart_options() {
  return {
      whole_number({"checkpoint", "SECONDS", "how much work a kill may cost at most", Scope::run},
                   &Job::checkpoint_s, 1, 86400),
      {"checkpoint-file", "FILE",
       "where a run that is stopped leaves what it has, for the same command to go on "
       "(tessera-reduce-JOB.checkpoint in this folder)",
       Scope::run, Kind::text,
       [](Job& job, Text text, Text what) {
         parse_name(text, what);
         job.checkpoint_file = text;
       },
       [](const Job& job) { return job.checkpoint_file; }},
      whole_number(
          {"max-seconds", "N", "stop after so long, to go on later; 0 = never", Scope::run},
          &Job::max_s, 0, std::numeric_limits<int>::max()),
  };
}

std::vector<ReduceOption> run_options() {
  return {
      {"device", "LIST", "comma list of auto, cpu, reference, cuda[:N], opencl[:P.D]", Scope::run,
       Kind::list, [](Job& job, Text text, Text what) { job.device = parse_name(text, what); },
       [](const Job& job) { return job.device; }},
      {"threads", "N", "worker threads a rank; 0 = all its cores", Scope::run, Kind::number,
       [](Job& job, Text text, Text what) {
         job.threads = static_cast<int>(base::parse_integer(text, what, 0, 1024));
       },
       [](const Job& job) { return std::to_string(job.threads); }},
      isolate_option<Job>(),
      device_timeout_option<Job>(),
      {"memory", "SIZE", "bound for each rank, such as 512M or 2G", Scope::run, Kind::number,
       [](Job& job, Text text, Text what) { job.memory_bytes = parse_memory(text, what); },
       [](const Job& job) { return format_memory(job.memory_bytes); }},
      {"slice", "SIZE", "of the array that a thread takes at a time", Scope::run, Kind::number,
       [](Job& job, Text text, Text what) { job.slice_bytes = parse_slice(text, what); },
       [](const Job& job) { return format_memory(job.slice_bytes); }},
      {"quiet", "", "no progress and no table", Scope::run, Kind::toggle,
       [](Job& job, Text text, Text what) { job.quiet = parse_toggle(text, what); },
       [](const Job& job) { return job.quiet ? "true" : "false"; }},
  };
}

/// What --axis and --output say together.
void check_array(const Job& job) {
  if (job.axes.empty() && job.output.empty()) return;
  if (!job.checkpoint_file.empty()) {
    throw base::usage_error("--checkpoint-file {}: with --axis it is {}.part.checkpoint",
                            job.checkpoint_file, job.output);
  }
  if (job.output.empty()) {
    throw base::usage_error(
        "--axis: makes an array; say where it goes, with --output FILE.npy or FILE.h5");
  }
  if (job.axes.empty()) {
    throw base::usage_error(
        "--output {}: holds the array that --axis makes; without --axis there are only numbers, "
        "for which there is --report FILE.json",
        job.output);
  }
  if (job.output.ends_with(".npy") && job.operations.size() > 1) {
    throw base::usage_error("--output {}: holds one operation; {} fit into FILE.h5", job.output,
                            job.operations.size());
  }
  for (const Operation operation : {Operation::dot, Operation::prod}) {
    if (std::ranges::find(job.operations, operation) == job.operations.end()) continue;
    throw base::usage_error("--op {}: is of a whole array, not along --axis",
                            operation_name(operation));
  }
  const bool histogram =
      std::ranges::find(job.operations, Operation::histogram) != job.operations.end();
  if (histogram && !job.histogram.range) {
    throw base::usage_error(
        "--op histogram: with --axis say which part is wanted, as histogram=BINS,LO,HI");
  }
}

}  // namespace

std::string_view operation_name(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

std::span<const std::string_view> operation_names() {
  return kOperationNames;
}

std::span<const Option<ReduceJob>> reduce_options() {
  static const std::vector<ReduceOption> options = [] {
    std::vector<ReduceOption> all = answer_options();
    for (ReduceOption& option : run_options()) all.push_back(std::move(option));
    for (ReduceOption& option : restart_options()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

ReduceJob make_reduce_job(std::span<const std::string> inputs, std::span<const Given> given) {
  ReduceJob job;
  for (const Given& one : given) {
    const auto option = std::ranges::find(reduce_options(), one.name, &ReduceOption::name);
    option->set(job, one.value, one.origin);
  }
  if (inputs.empty()) throw base::usage_error("reduce: name an INPUT; see tessera reduce --help");
  for (const std::string& input : inputs) job.inputs.push_back(parse_array_input(input));
  if (job.operations.empty()) {
    throw base::usage_error("--op: say what to make of the array, such as --op sum,mean");
  }
  check_array(job);
  const bool dot = std::ranges::find(job.operations, Operation::dot) != job.operations.end();
  if (dot && job.with.empty()) {
    throw base::usage_error("--op dot: say with which array, as --with INPUT");
  }
  if (!dot && !job.with.empty()) {
    throw base::usage_error("--with {}: is for --op dot alone", job.with);
  }
  return job;
}

std::vector<bool> reduced_dimensions(std::span<const std::int64_t> axes, const Shape& shape,
                                     std::string_view array) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::vector<bool> reduced(shape.size());
  for (const std::int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      throw base::usage_error("--axis {}: {} has {} dimension{}, {}", axis, array, rank,
                              rank == 1 ? "" : "s", format_shape(shape));
    }
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    if (reduced[d]) {
      throw base::usage_error("--axis {}: is named twice; {} has {} dimension{}, {}", axis, array,
                              rank, rank == 1 ? "" : "s", format_shape(shape));
    }
    reduced[d] = true;
  }
  return reduced;
}

std::vector<std::pair<std::string, std::string>> describe(const ReduceJob& job) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::string> inputs;
  for (const ArrayInput& input : job.inputs) inputs.push_back(input.text);
  lines.emplace_back("input", base::join(inputs, " "));
  for (const ReduceOption& option : reduce_options()) {
    std::string text = option.get(job);
    if (!text.empty()) lines.emplace_back(option.name, std::move(text));
  }
  return lines;
}

}  // namespace tessera::job
