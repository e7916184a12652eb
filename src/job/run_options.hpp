// The options of RunSpec, declared once for all commands, and the rows that options of jobs share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "job/options.hpp"
#include "job/run_spec.hpp"
#include "job/values.hpp"

namespace tessera::job {

enum class RunOption {
  device,
  threads,
  isolate,
  device_timeout,
  memory,
  checkpoint,
  max_seconds,
  quiet,
  report,
  trace
};

const Option<RunSpec>& run_option_row(RunOption which);

/// The row of a member of RunSpec in the table of a job.
template <class Job>
Option<Job> run_option(RunOption which) {
  const Option<RunSpec>& row = run_option_row(which);
  Option<Job> option{row.name, row.value, row.help, row.scope, row.kind};
  option.set = row.set;
  option.get = row.get;
  return option;
}

// Members that need no more than their type's parsing and printing.

template <class Job>
Option<Job> whole_number(Option<Job> option, int Job::*member, int low, int high) {
  option.kind = Kind::number;
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = static_cast<int>(base::parse_integer(text, what, low, high));
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

/// Anything but blanks.
template <class Job>
Option<Job> name(Option<Job> option, std::string Job::*member) {
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = parse_name(text, what);
  };
  option.get = [=](const Job& job) { return job.*member; };
  return option;
}

/// "" switches off what a job file asks for.
template <class Job>
Option<Job> optional_path(Option<Job> option, std::string Job::*member) {
  option.set = [=](Job& job, std::string_view text, std::string_view) { job.*member = text; };
  option.get = [=](const Job& job) { return job.*member; };
  return option;
}

}  // namespace tessera::job
