// Which devices are attached to the part of the machine that a rank's cores are in.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::device {

/// For each PCI address ("0000:17:00.0") whether the device hangs on a NUMA node, socket or machine
/// that has processors which this process may use; false where hwloc does not know the address. A
/// look at the whole machine, of some 10 ms.
std::vector<bool> near_these_cores(std::span<const std::string> pci);

}  // namespace tessera::device
