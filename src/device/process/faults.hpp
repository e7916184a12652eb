// Failures of the device's process for tests (base/fault.hpp). They are real failures in the thread
// that drives the stream, because drivers and compilers handle signals that other processes send.
#pragma once

#include <cstdint>
#include <optional>

#include "device/process/device_client.hpp"

namespace tessera::device::process {

enum class Fault : std::uint8_t {
  crash,  ///< writes through a null pointer
  abort,
  leave,    ///< _Exit(3), as a library may do after a fatal error
  hang,     ///< never returns
  context,  ///< throws ContextLostError
  busy,     ///< throws DeviceBusyError
};

/// If a fault point is set, queues a command that makes the process fail. Call it once per launch.
/// The rank counts the launches, so that a restarted process does not count from 0.
void inject_faults(Connection& line);

/// The fault that the process shall execute when it opens the device.
std::optional<Fault> fault_of_opening();

/// Executes the fault. Called in the device's process.
void fail(Fault fault);

}  // namespace tessera::device::process
