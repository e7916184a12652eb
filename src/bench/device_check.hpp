// tessera devices --check: whether a device computes what the reference does, and how fast it is.
#pragma once

#include <string>

#include "device/select/registry.hpp"
#include "report/devices.hpp"

namespace tessera::bench {

/// Takes about a second of a GPU, and some seconds of slow devices. Failures of the device are
/// problems in what is returned.
report::DeviceCheck check_device(const std::string& name, const device::Placement& placement);

}  // namespace tessera::bench
