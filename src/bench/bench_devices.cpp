#include "bench/bench_devices.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::bench {
namespace {

bool is_compared(const device::Backend& backend, const device::DeviceInfo& info) {
  // cpu:avx2 and similar names are the same cores.
  return info.is_gpu || backend.name == "opencl" || info.name == "cpu";
}

/// Throws a missing error if there is none.
std::vector<std::string> all_gpus(const device::Placement& placement) {
  std::vector<std::string> names;
  for (const device::Backend& backend : device::backends()) {
    for (const device::DeviceInfo& info : backend.list(placement)) {
      if (info.is_gpu && info.reason.empty()) names.push_back(info.name);
    }
  }
  if (names.empty()) throw base::missing_error("--device gpu: no such device");
  return names;
}

std::vector<std::string> all_devices(const device::Placement& placement,
                                     std::vector<std::string>& left_out) {
  std::vector<std::string> names;
  for (const device::Backend& backend : device::backends()) {
    for (const device::DeviceInfo& info : backend.list(placement)) {
      if (!info.reason.empty()) {
        left_out.push_back(fmt::format("{}: {}", info.name, info.reason));
      } else if (is_compared(backend, info)) {
        names.push_back(info.name);
      }
    }
  }
  for (const device::DeviceInfo& info : device::absent_backends()) {
    left_out.push_back(fmt::format("{}: {}", info.name, info.reason));
  }
  return names;
}

}  // namespace

std::vector<std::string> devices_to_compare(std::string_view list,
                                            const device::Placement& placement,
                                            std::vector<std::string>& left_out) {
  if (base::trim(list) == kEveryDevice) return all_devices(placement, left_out);
  std::vector<std::string> names;
  for (const device::Wanted& requested : device::parse_device_list(list)) {
    if (requested.kind == device::Wanted::Kind::automatic) {
      throw base::usage_error("--device {}: 'auto' stands for every device; name it alone", list);
    }
    if (requested.name == device::kAnyGpu) {
      for (std::string& gpu : all_gpus(placement)) names.push_back(std::move(gpu));
    } else {
      names.push_back(requested.name);
    }
  }
  return names;
}

}  // namespace tessera::bench
