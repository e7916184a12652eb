// Ends of the device's process to order, as base/fault.hpp has them: real ones, in the thread that
// drives the stream, since drivers and compilers have handlers for signals that others send.
#pragma once

#include <cstdint>

#include "device/process/device_client.hpp"

namespace tessera::device::process {

enum class Fault : std::uint8_t {
  crash,  ///< a write to nowhere
  abort,
  leave,  ///< exit(3), as libraries do that cannot go on
  hang,   ///< for ever
};

/// Has the process fail before what is told to it next, if a fault point says so. To be called once
/// a launch; the rank counts, so that a process that is started anew does not count anew.
void tell_of_faults(Line& line);

/// In the process.
void fail(Fault fault);

}  // namespace tessera::device::process
