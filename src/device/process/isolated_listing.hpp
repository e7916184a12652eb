// Which devices there are, asked in a process of its own: a driver that crashes or hangs when it is
// asked takes that process along, and not the rank.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"
#include "device/process/channel.hpp"

namespace tessera::device::process {

/// What stands in the place of a device in the command line of that process.
inline constexpr std::string_view kListing = "listing";

/// What a backend says of its devices.
struct Listing {
  std::vector<DeviceInfo> devices;
  std::string failure;  ///< why there are none: what it threw
  std::string end;      ///< or how the process ended that asked it
};

/// Of each of `backends`, in their order. One process asks them all; where it ends, or is silent
/// for too long and is killed, another one asks those that are left.
std::vector<Listing> list_isolated(const std::vector<std::string>& backends,
                                   const Placement& placement, const Isolation& isolation);

/// In the process: answers what is asked about `backends`.
void serve_listing(Channel& line, std::span<const Backend> backends);

}  // namespace tessera::device::process
