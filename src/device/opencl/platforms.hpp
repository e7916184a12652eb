// What OpenCL offers on this machine: every device of every platform, and what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "device/opencl/api.hpp"

namespace tessera::device::opencl {

struct FoundDevice {
  DeviceInfo info;  ///< name "opencl:P.D": number of the platform and of the device in it
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  /// Changes when a built program may no longer fit.
  std::string identity;
};

/// Empty, and why in `reason`, when there is no loader or no platform.
std::vector<FoundDevice> find_devices(std::string& reason);

}  // namespace tessera::device::opencl
