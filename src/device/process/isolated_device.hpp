// A GPU that a process of its own drives: to the rank a Device like any other. Whatever ends that
// process, or keeps it from answering, is a DeviceError to those who use the device.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/placement.hpp"

namespace tessera::device::process {

/// Throws as device::open_devices(), and DeviceError when the process cannot be started or ends.
std::unique_ptr<Device> open_isolated(const std::string& device, const Placement& placement,
                                      const Isolation& isolation);

}  // namespace tessera::device::process
