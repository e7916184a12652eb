// Which devices are attached to the part of the machine that contains a rank's cores.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::device {

/// For each PCI address ("0000:17:00.0"): whether the device is attached to a NUMA node, socket or
/// machine with processors that this process may use. False if hwloc does not know the address.
/// Scans the whole machine, which takes some 10 ms.
std::vector<bool> near_these_cores(std::span<const std::string> pci);

}  // namespace tessera::device
