#include "device/sight.hpp"

#include <algorithm>
#include <exception>

#include "device/nearness.hpp"
#include "device/same_hardware.hpp"

namespace tessera::device {
namespace {

/// A backend that fails at looking is a line of the table, not the end of the run.
void add_devices(std::vector<Seen>& seen, const Backend& backend, const Placement& placement) {
  try {
    for (DeviceInfo& info : backend.list(placement)) seen.push_back({std::move(info)});
  } catch (const std::exception& error) {
    seen.push_back({{.name = std::string(backend.name), .reason = error.what()}});
  }
}

bool needs(std::span<const Wanted> wanted, const Backend& backend) {
  return std::ranges::any_of(wanted, [&](const Wanted& entry) {
    if (entry.kind == Wanted::Kind::automatic) return !backend.cores;
    return entry.kind == Wanted::Kind::any_of && entry.name == backend.name;
  });
}

/// Where there is nothing to choose from the machine need not be looked at.
bool several_gpus(const std::vector<Seen>& seen) {
  const Seen* first = nullptr;
  for (const Seen& one : seen) {
    if (!one.info.is_gpu) continue;
    if (first == nullptr) first = &one;
    if (!same_hardware(first->info, one.info)) return true;
  }
  return false;
}

void mark_near(std::vector<Seen>& seen) {
  std::vector<std::string> addresses;
  addresses.reserve(seen.size());
  for (const Seen& one : seen) addresses.push_back(one.info.pci);
  const std::vector<bool> near = near_these_cores(addresses);
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i].near = near[i];
}

}  // namespace

std::vector<Seen> look(std::span<const Wanted> wanted, const Placement& placement) {
  std::vector<Seen> seen;
  for (const Backend& backend : backends()) {
    if (needs(wanted, backend)) add_devices(seen, backend, placement);
  }
  if (several_gpus(seen)) mark_near(seen);
  return seen;
}

std::vector<Seen> look_at_all(const Placement& placement) {
  std::vector<Seen> seen;
  for (const Backend& backend : backends()) add_devices(seen, backend, placement);
  for (DeviceInfo& info : absent_backends()) seen.push_back({std::move(info)});
  mark_near(seen);
  return seen;
}

}  // namespace tessera::device
