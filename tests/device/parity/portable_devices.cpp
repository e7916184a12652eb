// What every machine can test: the instruction sets of its CPU, and OpenCL where there is any
// (PoCL).
#include "device/select/registry.hpp"
#include "parity_devices.hpp"

namespace tessera::device {

std::vector<std::string> parity_devices() {
  std::vector<std::string> names;
  for (const Backend& backend : backends()) {
    if (backend.name != "cpu") continue;
    for (const DeviceInfo& info : backend.list({.threads = 1})) {
      if (info.name != "cpu") names.push_back(info.name);
    }
  }
  names.emplace_back("opencl");
  return names;
}

}  // namespace tessera::device
