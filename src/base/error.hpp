// The one exception type of Tessera and the exit codes that it turns into.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tessera::base {

/// What the process tells its caller; docs/architecture.md lists the same numbers.
enum class ExitCode {
  done = 0,
  usage = 2,    ///< wrong usage or bad input
  missing = 3,  ///< something asked for is not there: a device, a file, a library
  failed = 4,   ///< the run failed
  stopped = 75  ///< stopped early, and the same command goes on (EX_TEMPFAIL of sysexits.h)
};

/// Says in one line where and what; `code` is what the process exits with if nobody mends it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The user's mistake: names the option or the file and says what would be right.
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
