// The only exception type of Tessera, and the exit codes that it becomes.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tessera::base {

/// Exit codes of the process; docs/architecture.md lists the same numbers.
enum class ExitCode {
  done = 0,
  usage = 2,    ///< wrong usage or bad input
  missing = 3,  ///< something requested is missing: a device, a file, a library
  failed = 4,   ///< the run failed
  stopped = 75  ///< stopped early; the same command resumes (EX_TEMPFAIL of sysexits.h)
};

/// A one-line message that says where and what. `code` is the exit code if nobody handles the
/// error.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A mistake of the user: the message names the option or the file and says what would be right.
template <class... Args>
Error usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ExitCode::usage, fmt::format(format, std::forward<Args>(args)...)};
}

template <class... Args>
Error missing_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ExitCode::missing, fmt::format(format, std::forward<Args>(args)...)};
}

template <class... Args>
Error run_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ExitCode::failed, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace tessera::base
