// Options of every job that drives GPUs: whether each has a separate process, and the timeout of
// that process. Job has the members `isolate` and `device_timeout_s`.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/options.hpp"

namespace tessera::job {

template <class Job>
Option<Job> isolate_option() {
  return {"isolate",
          "on|off",
          "drive each GPU in a process of its own, which may crash",
          Scope::run,
          Kind::text,
          [](Job& job, std::string_view text, std::string_view what) {
            const std::string_view word = base::trim(text);
            if (word != "on" && word != "off") {
              throw base::usage_error("{}: '{}' is neither on nor off", what, word);
            }
            job.isolate = word == "on";
          },
          [](const Job& job) { return std::string(job.isolate ? "on" : "off"); }};
}

template <class Job>
Option<Job> device_timeout_option() {
  return {"device-timeout",
          "SECONDS",
          "silence beyond what the work explains, upon which that process is killed",
          Scope::run,
          Kind::number,
          [](Job& job, std::string_view text, std::string_view what) {
            job.device_timeout_s = static_cast<int>(base::parse_integer(text, what, 1, 86400));
          },
          [](const Job& job) { return std::to_string(job.device_timeout_s); }};
}

}  // namespace tessera::job
