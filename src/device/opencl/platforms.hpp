// Finds every device of every OpenCL platform, with the reason if it cannot be used.
#pragma once

#include <string>
#include <vector>

#include "device/opencl/api.hpp"

namespace tessera::device::opencl {

struct FoundDevice {
  DeviceInfo info;  ///< name "opencl:P.D": index of the platform, index of the device within it
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  /// Identifies device and driver; a cached program is valid only for the same identity.
  std::string identity;
};

/// Empty if there is no loader or no platform; `reason` says which.
std::vector<FoundDevice> find_devices(std::string& reason);

}  // namespace tessera::device::opencl
