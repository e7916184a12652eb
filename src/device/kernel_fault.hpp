// The fault points of kernels, for tests (base/fault.hpp).
#pragma once

#include <string_view>

#include "base/fault.hpp"
#include "device/device_error.hpp"

namespace tessera::device {

/// Throws DeviceError if "device.kernel" or `point`, that of one backend, says that this call of a
/// kernel fails.
inline void fail_if_ordered(std::string_view point) {
  if (base::fault("device.kernel") || base::fault(point)) {
    throw DeviceError("a fault point says that this kernel fails");
  }
}

}  // namespace tessera::device
