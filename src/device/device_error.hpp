// The exceptions for a failed device, in contrast to a faulty job, and for an interrupted call.
#pragma once

#include <exception>
#include <string>

#include "base/error.hpp"

namespace tessera::device {

/// The device itself failed (a kernel, its memory, the connection), so other devices can still do
/// the same work.
class DeviceError : public base::Error {
 public:
  explicit DeviceError(const std::string& what) : Error(base::ExitCode::failed, what) {}
};

/// Nobody wants the result any more (Lane::interrupt_when()). The device works.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "the call was interrupted"; }
};

/// No call of this process will succeed on the device again; a new process can use it. For example,
/// a CUDA context is lost after a kernel has accessed an invalid address.
class ContextLostError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The device has too little free memory, or another process has exclusive use of it. A later
/// attempt may succeed.
class DeviceBusyError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace tessera::device
