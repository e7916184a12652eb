// The options of RunSpec, declared once for all commands, and helpers for the option rows of jobs.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/quantity.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"
#include "job/values.hpp"

namespace tessera::job {

enum class RunOption {
  device,
  threads,
  isolate,
  device_timeout,
  memory,
  device_memory,
  checkpoint,
  max_seconds,
  quiet,
  json,
  report,
  trace,
  report_html,
  serve,
  serve_listen,
  no_token
};

const Option<RunSpec>& run_option_row(RunOption which);
/// Whether an option of that name has a row here.
bool is_run_option(std::string_view name);

/// The row of a RunSpec member for the option table of a job.
template <class Job>
Option<Job> run_option(RunOption which) {
  const Option<RunSpec>& row = run_option_row(which);
  Option<Job> option{row.name, row.value, row.help, row.scope, row.kind};
  option.set = row.set;
  option.get = row.get;
  return option;
}

// Rows of members whose parsing and printing depend on the type only.

template <class Job>
Option<Job> whole_number(Option<Job> option, int Job::*member, int low, int high) {
  option.kind = Kind::integer;
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = static_cast<int>(base::parse_count(text, what, low, high));
  };
  option.get = [=](const Job& job) { return std::to_string(job.*member); };
  return option;
}

template <class Job>
Option<Job> toggle(Option<Job> option, bool Job::*member) {
  option.kind = Kind::toggle;
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = parse_toggle(text, what);
  };
  option.get = [=](const Job& job) { return job.*member ? "true" : "false"; };
  return option;
}

/// A name that is not blank.
template <class Job>
Option<Job> name(Option<Job> option, std::string Job::*member) {
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = parse_name(text, what);
  };
  option.get = [=](const Job& job) { return job.*member; };
  return option;
}

/// A path; "" clears the value of a job file.
template <class Job>
Option<Job> optional_path(Option<Job> option, std::string Job::*member) {
  option.set = [=](Job& job, std::string_view text, std::string_view) { job.*member = text; };
  option.get = [=](const Job& job) { return job.*member; };
  return option;
}

}  // namespace tessera::job
