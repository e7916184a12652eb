// A GPU driven by a separate process, as an ordinary Device. If that process ends or does not
// answer, the users of the device get a DeviceError.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/placement.hpp"
#include "device/process/driver_process.hpp"

namespace tessera::device::process {

/// Opens it in `process`, or in one that is started if it is null. Throws what
/// device::open_devices() throws, and DeviceError if the process cannot be started or ends.
std::unique_ptr<Device> open_isolated(const std::string& device, const Placement& placement,
                                      const Isolation& isolation,
                                      std::shared_ptr<DriverProcess> process);

}  // namespace tessera::device::process
