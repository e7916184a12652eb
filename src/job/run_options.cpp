#include "job/run_options.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/serve_job.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using RunRow = Option<RunSpec>;

constexpr double kDaySeconds = 86400;
constexpr double kMaxRunSeconds = 1e9;

void set_serve_listen(RunSpec& job, Text text, Text what) {
  ServeJob page;
  set_listen(page, text, what);
  job.serve_listen = page.listen();
  job.serve = true;
}

/// A time in [low_s, high_s], in whole seconds if the member is an integer.
template <class Seconds>
RunRow duration(RunRow option, Seconds RunSpec::*member, double low_s, double high_s) {
  option.kind = Kind::number;
  option.set = [=](RunSpec& job, Text text, Text what) {
    const double seconds = base::parse_duration(text, what);
    const bool whole = std::is_floating_point_v<Seconds> || seconds == std::floor(seconds);
    if (!whole || seconds < low_s || seconds > high_s) {
      throw base::usage_error("{}: '{}' is not a {} from {} to {} seconds", what, text,
                              std::is_floating_point_v<Seconds> ? "time" : "whole number", low_s,
                              high_s);
    }
    job.*member = static_cast<Seconds>(seconds);
  };
  option.get = [=](const RunSpec& job) { return fmt::format("{}", job.*member); };
  return option;
}

// not crossed: only refuses
constexpr int kMaxPoolShares = 1 << 16;

double parse_lease(Text text, Text what) {
  constexpr double kLeastLease = 0.3, kMaxLease = 86400;
  const double seconds = base::parse_duration(text, what);
  if (seconds >= kLeastLease && seconds <= kMaxLease) return seconds;
  throw base::usage_error("{}: '{}' is not from {} s to {} s", what, text, kLeastLease, kMaxLease);
}

RunRow listed(RunRow option) {
  option.kind = Kind::list;
  return option;
}

/// In the order of RunOption.
std::vector<RunRow> make_rows() {
  return {
      listed(name(
          {"device", "LIST", "devices to use: auto, gpu, cpu, reference, cuda[:N], opencl[:P.D]"},
          &RunSpec::device)),
      whole_number({"threads", "N", "worker threads per rank; 0 = one per core"}, &RunSpec::threads,
                   0, kMaxThreads),
      parsed({"isolate", "on|off",
              "drive each GPU in a separate process, so that a driver crash does not end the run"},
             &RunSpec::isolate, parse_switch, [](bool is_on) { return is_on ? "on" : "off"; }),
      duration(
          {"device-timeout", "TIME", "kill a GPU process that is this much slower than expected"},
          &RunSpec::device_timeout_s, 1, kDaySeconds),
      parsed({"memory", "SIZE", "memory limit of each rank, such as 512M or 2G", Scope::run,
              Kind::number},
             &RunSpec::memory_bytes, parse_memory, format_memory),
      parsed({"device-memory", "SIZE",
              "memory limit of each rank on each GPU, such as 512M or 2G; 0 = all free memory",
              Scope::run, Kind::number},
             &RunSpec::device_memory_bytes, base::parse_bytes, format_memory),
      duration({"checkpoint", "TIME",
                "write a checkpoint this often; a power cut loses at most this much work"},
               &RunSpec::checkpoint_s, 1, kDaySeconds),
      duration({"max-seconds", "TIME",
                "stop after this long, such as 1h30m, with exit code 75; 0 = never"},
               &RunSpec::max_s, 0, kMaxRunSeconds),
      optional_path({"pool", "FOLDER",
                     "work with all other runs that name this folder, which may begin and end at "
                     "any time"},
                    &RunSpec::pool),
      whole_number({"pool-shares", "N", "parts of the work that runs of a pool take; 0 = chosen"},
                   &RunSpec::pool_shares, 0, kMaxPoolShares),
      parsed({"pool-lease", "TIME",
              "take over the part of a run that gives no sign of life for this long", Scope::run,
              Kind::number},
             &RunSpec::pool_lease_s, parse_lease),
      toggle({"quiet", "", "print nothing but errors"}, &RunSpec::quiet),
      toggle({"json", "", "print one JSON document instead of text"}, &RunSpec::json),
      optional_path({"report", "FILE.json",
                     "write results and timings as JSON ('' = none, '-' = standard output)"},
                    &RunSpec::report),
      optional_path({"trace", "FILE.json", "write a timeline for Perfetto ('' = none)"},
                    &RunSpec::trace),
      optional_path({"report-html", "FILE.html",
                     "write an HTML report with charts and the picture ('' = none)"},
                    &RunSpec::report_html),
      toggle({"serve", "", "show the progress in a browser; prints the address"}, &RunSpec::serve),
      {"serve-listen", "ADDR:PORT",
       "address and port of that page, as for tessera serve; implies --serve", Scope::run,
       Kind::text, set_serve_listen, [](const RunSpec& job) { return job.serve_listen; }},
      toggle({"no-token", "",
              "let every user of this machine open the page, without the token in its address"},
             &RunSpec::no_token),
  };
}

const std::vector<RunRow>& all_rows() {
  static const std::vector<RunRow> rows = make_rows();
  return rows;
}

}  // namespace

const Option<RunSpec>& run_option_row(RunOption which) {
  return all_rows()[static_cast<std::size_t>(which)];
}

bool is_run_option(std::string_view name) {
  return std::ranges::find(all_rows(), name, &RunRow::name) != all_rows().end();
}

}  // namespace tessera::job
