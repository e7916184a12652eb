// The options of RunSpec, declared once for all commands, and helpers for the option rows of jobs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"
#include "job/values.hpp"

namespace tessera::job {

inline constexpr int kMaxThreads = 1024;

enum class RunOption {
  device,
  threads,
  isolate,
  device_timeout,
  memory,
  device_memory,
  checkpoint,
  max_seconds,
  pool,
  pool_shares,
  pool_lease,
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
  return inherited<Job>(run_option_row(which));
}

/// Such rows, behind those of a table.
template <class Job>
void add_run_options(std::vector<Option<Job>>& table, std::initializer_list<RunOption> rows) {
  for (const RunOption row : rows) table.push_back(run_option<Job>(row));
}

// Rows of members whose parsing and printing depend on the type only.

/// A member that parse(text, what) reads and print(member) writes.
template <class Job, class Value, class Parse, class Print>
Option<Job> parsed(Option<Job> option, Value Job::*member, Parse parse, Print print) {
  option.set = [=](Job& job, std::string_view text, std::string_view what) {
    job.*member = parse(text, what);
  };
  option.get = [=](const Job& job) { return std::string(print(job.*member)); };
  return option;
}

/// The same for a number or a text, which is written as it is.
template <class Job, class Value, class Parse>
Option<Job> parsed(Option<Job> option, Value Job::*member, Parse parse) {
  return parsed(std::move(option), member, parse,
                [](const Value& value) { return fmt::format("{}", value); });
}

template <class Job, class Number>
Option<Job> whole_number(Option<Job> option, Number Job::*member, std::int64_t low,
                         std::int64_t high) {
  option.kind = Kind::integer;
  return parsed(std::move(option), member, [=](std::string_view text, std::string_view what) {
    return static_cast<Number>(base::parse_count(text, what, low, high));
  });
}

/// A whole number above 0, or none.
template <class Job, class Number>
Option<Job> optional_number(Option<Job> option, Number Job::*member, std::int64_t low,
                            std::int64_t high) {
  option = whole_number(std::move(option), member, low, high);
  option.get = [=](const Job& job) { return job.*member > 0 ? std::to_string(job.*member) : ""; };
  return option;
}

template <class Job>
Option<Job> toggle(Option<Job> option, bool Job::*member) {
  option.kind = Kind::toggle;
  return parsed(std::move(option), member, parse_toggle,
                [](bool is_on) { return is_on ? "true" : "false"; });
}

/// A name that is not blank.
template <class Job>
Option<Job> name(Option<Job> option, std::string Job::*member) {
  return parsed(std::move(option), member, parse_name);
}

/// A text that check(text, what) accepts, without blanks round it.
template <class Job, class Check>
Option<Job> checked(Option<Job> option, std::string Job::*member, Check check) {
  return parsed(std::move(option), member, [=](std::string_view text, std::string_view what) {
    check(text, what);
    return std::string(base::trim(text));
  });
}

/// A path; "" clears the value of a job file.
template <class Job>
Option<Job> optional_path(Option<Job> option, std::string Job::*member) {
  return parsed(std::move(option), member,
                [](std::string_view text, std::string_view) { return std::string(text); });
}

/// The field that a picture shows; "" is left to the image.
template <class Job>
Option<Job> field_option(std::string_view help) {
  std::string Job::*const member = &Job::field;  // which Job may inherit
  return parsed({"field", "NAME", help, Scope::image}, member,
                [](std::string_view text, std::string_view what) {
                  if (text == "iterations" || text == "smooth") return std::string(text);
                  throw base::usage_error("{}: '{}' is neither iterations nor smooth", what, text);
                });
}

}  // namespace tessera::job
