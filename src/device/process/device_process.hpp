// The process that drives one device for the rank that started it. It executes the requests of the
// rank and ends when the rank closes the connection.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "device/backend.hpp"

namespace tessera::device::process {

/// Whether the command line starts such a process.
bool is_serve_call(int argc, const char* const* argv);
/// The backends that the process can open (device/select/registry.hpp).
struct BackendTable {
  std::span<const Backend> backends;
  std::unique_ptr<gpu::GpuDevice> (*open_gpu)(const std::string& name, const Placement&);
};

/// Never returns: the process ends when its connection closes.
[[noreturn]] void serve(const char* const* argv, const BackendTable& table);

}  // namespace tessera::device::process
