#include "reduce/reduce_devices.hpp"

#include <algorithm>
#include <vector>

#include "base/fault.hpp"
#include "base/text.hpp"
#include "device/select/registry.hpp"

namespace tessera::reduce {

std::string reduce_devices(std::string_view list, std::uint64_t file_bytes, bool cores_only) {
  const bool small =
      file_bytes > 0 && file_bytes < kWorthGpuBytes && !base::fault("reduce.worth_a_gpu");
  std::vector<std::string> names;
  for (const device::Wanted& requested : device::parse_device_list(list)) {
    const bool automatic = requested.kind == device::Wanted::Kind::automatic;
    const std::string name(automatic && (small || cores_only) ? device::kCores : requested.name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return base::join(names);
}

std::string with_cores(const std::string& chosen) {
  const std::string cores(device::kCores);
  return chosen == cores ? chosen : chosen + ", " + cores;
}

}  // namespace tessera::reduce
