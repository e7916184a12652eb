#include "job/run_options.hpp"

#include <limits>
#include <vector>

#include "base/error.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using RunRow = Option<RunSpec>;

constexpr int kMostThreads = 1024;
constexpr int kMostSeconds = 86400;  ///< a day

void set_isolate(RunSpec& job, Text text, Text what) {
  const Text word = base::trim(text);
  if (word != "on" && word != "off") {
    throw base::usage_error("{}: '{}' is neither on nor off", what, word);
  }
  job.isolate = word == "on";
}

RunRow listed(RunRow option) {
  option.kind = Kind::list;
  return option;
}

/// In the order of RunOption.
std::vector<RunRow> make_rows() {
  return {
      listed(name({"device", "LIST", "comma list of auto, cpu, reference, cuda[:N], opencl[:P.D]"},
                  &RunSpec::device)),
      whole_number({"threads", "N", "worker threads a rank; 0 = all its cores"}, &RunSpec::threads,
                   0, kMostThreads),
      {"isolate", "on|off", "drive each GPU in a process of its own, which may crash", Scope::run,
       Kind::text, set_isolate,
       [](const RunSpec& job) { return std::string(job.isolate ? "on" : "off"); }},
      whole_number(
          {"device-timeout", "SECONDS", "kill that process after so long without progress"},
          &RunSpec::device_timeout_s, 1, kMostSeconds),
      {"memory", "SIZE", "bound for each rank, such as 512M or 2G", Scope::run, Kind::number,
       [](RunSpec& job, Text text, Text what) { job.memory_bytes = parse_memory(text, what); },
       [](const RunSpec& job) { return format_memory(job.memory_bytes); }},
      whole_number(
          {"checkpoint", "SECONDS", "how much work a kill or a power cut may cost at most"},
          &RunSpec::checkpoint_s, 1, kMostSeconds),
      whole_number({"max-seconds", "N", "stop after so long, to go on later; 0 = never"},
                   &RunSpec::max_s, 0, std::numeric_limits<int>::max()),
      toggle({"quiet", "", "no progress and no table; of a reduction the bare answers"},
             &RunSpec::quiet),
      toggle({"json", "", "print one JSON document instead of text"}, &RunSpec::json),
      optional_path(
          {"report", "FILE.json", "results and timings as JSON ('' = none, '-' = standard output)"},
          &RunSpec::report),
      optional_path({"trace", "FILE.json", "timeline for Perfetto ('' = none)"}, &RunSpec::trace),
  };
}

}  // namespace

const Option<RunSpec>& run_option_row(RunOption which) {
  static const std::vector<RunRow> rows = make_rows();
  return rows[static_cast<std::size_t>(which)];
}

}  // namespace tessera::job
