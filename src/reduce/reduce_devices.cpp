#include "reduce/reduce_devices.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "device/select/registry.hpp"

namespace tessera::reduce {

std::string reduce_devices(std::string_view list, bool generated) {
  std::vector<std::string> names;
  for (const device::Wanted& wanted : device::parse_device_list(list)) {
    const bool automatic = wanted.kind == device::Wanted::Kind::automatic;
    const std::string name(automatic && !generated ? device::kCores : wanted.name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return base::join(names);
}

}  // namespace tessera::reduce
