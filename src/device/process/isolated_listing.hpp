// Lists the devices in a separate process, so that a driver that crashes or hangs during discovery
// cannot take the rank with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/process/channel.hpp"

namespace tessera::device::process {

/// Stands for the device's name in the command line of the listing process.
inline constexpr std::string_view kListing = "listing";

/// The devices of one backend.
struct Listing {
  std::vector<DeviceInfo> devices;
  std::string failure;  ///< message of the exception that the backend threw
  std::string end;      ///< or how the process ended while it asked the backend
};

/// Lists the devices of each of `backends`, in their order. One process asks all of them. If it
/// ends, or is silent too long and is killed, another process asks the remaining ones.
std::vector<Listing> list_isolated(const std::vector<std::string>& backends,
                                   const Placement& placement, const Isolation& isolation);

/// Called in the process: answers the request about `backends`.
void serve_listing(Channel& line, std::span<const Backend> backends);

}  // namespace tessera::device::process
