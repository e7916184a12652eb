#include "run/reduce_devices.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/registry.hpp"

namespace tessera::run {
namespace {

bool is_cores(const device::Wanted& wanted) {
  const std::string name = wanted.name.substr(0, wanted.name.find(':'));
  const auto backends = device::backends();
  const auto backend = std::ranges::find(backends, name, &device::Backend::name);
  return backend != backends.end() && backend->cores;
}

}  // namespace

std::string reduce_devices(std::string_view list, const ReductionKind& kind) {
  const bool gpu_is_sooner = kind.made && kind.cores_only.empty();
  std::vector<std::string> names;
  for (const device::Wanted& wanted : device::parse_device_list(list)) {
    const bool automatic = wanted.kind == device::Wanted::Kind::automatic;
    if (!automatic && !kind.cores_only.empty() && !is_cores(wanted)) {
      throw base::usage_error("--device {}: {} runs on cpu and reference", wanted.name,
                              kind.cores_only);
    }
    const std::string name(automatic && !gpu_is_sooner ? device::kCores : wanted.name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return base::join(names);
}

}  // namespace tessera::run
