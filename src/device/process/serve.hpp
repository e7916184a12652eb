// The process that drives one device for a rank, which started it: the rank's line tells it what to
// do, and its end is the end of this process.
#pragma once

#include <string_view>

namespace tessera::device::process {

/// The first argument of the process; no command of the program's help.
inline constexpr std::string_view kServeCommand = "device-process";

/// Whether the command line is that of such a process.
bool is_serve_call(int argc, const char* const* argv);
/// Never returns: the process ends with its line.
[[noreturn]] void serve(const char* const* argv);

}  // namespace tessera::device::process
