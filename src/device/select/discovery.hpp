// What a rank sees of the devices of its machine.
#pragma once

#include <span>
#include <vector>

#include "device/select/assignment.hpp"
#include "device/select/registry.hpp"

namespace tessera::device {

/// Devices among which `wanted` leaves a choice; asks no backend that the list does not need, since
/// that may take a while.
std::vector<DetectedDevice> discover(std::span<const Wanted> wanted, const Placement& placement,
                                     const Isolation& isolation);

/// Every device of every backend, and for each that this build lacks a line that says so.
std::vector<DetectedDevice> discover_all(const Placement& placement, const Isolation& isolation);

}  // namespace tessera::device
