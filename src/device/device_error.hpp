// The exception for a failed device, in contrast to a faulty job.
#pragma once

#include <string>

#include "base/error.hpp"

namespace tessera::device {

/// The device itself failed (a kernel, its memory, the connection), so other devices can still do
/// the same work.
class DeviceError : public base::Error {
 public:
  explicit DeviceError(const std::string& what) : Error(base::ExitCode::failed, what) {}
};

}  // namespace tessera::device
