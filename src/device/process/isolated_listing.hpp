// Lists the devices in a separate process, so that a driver that crashes or hangs during discovery
// cannot take the rank with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/placement.hpp"
#include "device/process/driver_process.hpp"

namespace tessera::device::process {

/// The devices of one backend.
struct Listing {
  std::vector<DeviceInfo> devices;
  std::string failure;  ///< message of the exception that the backend threw
  std::string end;      ///< or how the process ended while it asked the backend
};

class IsolatedListing {
 public:
  /// `devices`: those that are looked for, as DriverProcess shows them.
  IsolatedListing(std::string devices, const Placement& placement, const Isolation& isolation)
      : devices_(std::move(devices)), placement_(placement), isolation_(isolation) {}

  /// Lists the devices of a backend. One process is asked all the time. If it ends, or is silent
  /// too long and is killed, the next call starts another one.
  Listing list(const std::string& backend);
  /// The process that was asked, which can drive one of the devices; null if there is none.
  std::shared_ptr<DriverProcess> take_process() { return std::move(process_); }

 private:
  Listing ask(const std::string& backend);

  std::string devices_;
  Placement placement_;
  Isolation isolation_;
  std::shared_ptr<DriverProcess> process_;
};

}  // namespace tessera::device::process
