// Discovers the devices that a rank can use.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/select/assignment.hpp"
#include "device/select/registry.hpp"

namespace tessera::device {

struct Discovered {
  std::vector<DetectedDevice> devices;
  /// Has listed devices and can drive one of them; null if there is none.
  std::shared_ptr<process::DriverProcess> process;
};

/// Detects the devices among which `requested` leaves a choice. Only the backends that it needs are
/// asked, because discovery may be slow. For `auto` and `gpu`, a backend is not asked if those
/// before it have a GPU for each rank of the node.
Discovered discover(std::span<const Wanted> requested, const Placement& placement,
                    const Isolation& isolation);

/// Every device of every backend, plus one entry for each backend that this build lacks.
std::vector<DetectedDevice> discover_all(const Placement& placement, const Isolation& isolation);

}  // namespace tessera::device
