// Recognises one GPU under several names: its number differs between ranks that see different GPUs,
// and each backend that drives it has its own name for it.
#pragma once

#include <string_view>

#include "device/device.hpp"

namespace tessera::device {

/// Example: "cuda" for "cuda:1".
std::string_view backend_of(const DeviceInfo& info);

/// Whether two ranks of a node, or two backends, describe the same hardware. Instances of a
/// partitioned GPU (MIG) share a PCI address but have different uuids. If neither the uuid nor the
/// PCI address is known on both sides, names are compared within a backend and models between
/// backends.
bool same_hardware(const DeviceInfo& a, const DeviceInfo& b);

}  // namespace tessera::device
