// One GPU has several names: another number in every rank that is bound to it, one name more for
// each backend that drives it.
#pragma once

#include <string_view>

#include "device/device.hpp"

namespace tessera::device {

/// "cuda" of "cuda:1".
std::string_view backend_of(const DeviceInfo& info);

/// Whether two ranks of a node, or two backends, speak of the same hardware. Instances of a
/// partitioned GPU (MIG) share a PCI address and differ in their uuids. Where neither uuid nor PCI
/// address is known to both, a backend's own names tell devices apart, and between backends the
/// model does.
bool same_hardware(const DeviceInfo& a, const DeviceInfo& b);

}  // namespace tessera::device
