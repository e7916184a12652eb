// Devices by their names, for the tests of this folder.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "device/powers/power_reducers.hpp"
#include "device/select/registry.hpp"

namespace tessera::device {

/// Opened once: opening looks at the whole machine.
inline const Device& device_named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Device>> opened;
  std::unique_ptr<Device>& device = opened[name];
  if (!device) device = std::move(open_devices(name, {.threads = 1}).front());
  return *device;
}

inline std::unique_ptr<Reducer> open_reducer(const std::string& name,
                                             const statistics::ReductionSpec& spec) {
  return open_reducer(device_named(name), spec);
}

}  // namespace tessera::device
