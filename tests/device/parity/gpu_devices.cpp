// What only a machine with a GPU can test.
#include "device/select/registry.hpp"
#include "parity_devices.hpp"

namespace tessera::device {

std::vector<std::string> parity_devices() {
  std::vector<std::string> names = {"cuda"};
  for (const Backend& backend : backends()) {
    for (const DeviceInfo& info : backend.list({.threads = 1})) {
      const bool usable = info.is_gpu && info.reason.empty();
      if (usable && info.name != "cuda:0") names.push_back(info.name);
    }
  }
  return names;
}

}  // namespace tessera::device
