// Discovers the devices that a rank can use.
#pragma once

#include <span>
#include <vector>

#include "device/select/assignment.hpp"
#include "device/select/registry.hpp"

namespace tessera::device {

/// Detects the devices among which `wanted` leaves a choice. Only the backends that it needs are
/// asked, because discovery may be slow.
std::vector<DetectedDevice> discover(std::span<const Wanted> wanted, const Placement& placement,
                                     const Isolation& isolation);

/// Every device of every backend, plus one entry for each backend that this build lacks.
std::vector<DetectedDevice> discover_all(const Placement& placement, const Isolation& isolation);

}  // namespace tessera::device
