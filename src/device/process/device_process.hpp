// The process that drives one device for a rank, which started it: the rank's line tells it what to
// do, and its end is the end of this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/backend.hpp"

namespace tessera::device::process {

/// The first argument of the process; no command of the program's help.
inline constexpr std::string_view kServeCommand = "device-process";

/// Whether the command line is that of such a process.
bool is_serve_call(int argc, const char* const* argv);
/// The backends that such a process can be asked for (device/select/registry.hpp).
struct BackendTable {
  std::span<const Backend> backends;
  std::unique_ptr<gpu::GpuDevice> (*open_gpu)(const std::string& name, const Placement&);
};

/// Never returns: the process ends with its line.
[[noreturn]] void serve(const char* const* argv, const BackendTable& table);

}  // namespace tessera::device::process
