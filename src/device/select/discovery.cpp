#include "device/select/discovery.hpp"

#include <algorithm>
#include <exception>

#include "base/text.hpp"
#include "device/process/isolated_listing.hpp"
#include "device/select/numa_nearness.hpp"
#include "device/select/same_hardware.hpp"

namespace tessera::device {
namespace {

using process::Listing;

Listing list_here(const Backend& backend, const Placement& placement) {
  Listing listing;
  try {
    listing.devices = backend.list(placement);
  } catch (const std::exception& error) {
    listing.failure = error.what();
  }
  return listing;
}

/// A backend whose discovery fails becomes an entry of the table; the run continues.
void add_devices(std::vector<DetectedDevice>& detected, const Backend& backend, Listing listing) {
  for (DeviceInfo& info : listing.devices) detected.push_back({std::move(info)});
  const std::string& why = listing.end.empty() ? listing.failure : listing.end;
  if (why.empty()) return;
  detected.push_back({.info = {.name = std::string(backend.name), .reason = why},
                      .crashed = !listing.end.empty()});
}

/// A backend to be asked.
struct Needed {
  const Backend* backend;
  bool for_any_gpu = false;  ///< only if there are too few GPUs without it
};

int count_usable_gpus(const std::vector<DetectedDevice>& detected) {
  return static_cast<int>(std::ranges::count_if(detected, [](const DetectedDevice& one) {
    return one.info.is_gpu && one.info.fp64 && one.info.reason.empty();
  }));
}

/// Asks the backends, in their order. Those with third-party drivers are asked in a separate
/// process.
Discovered ask(std::span<const Needed> all, const Placement& placement,
               const Isolation& isolation) {
  std::vector<std::string> names;
  for (const auto& [backend, any] : all) {
    if (backend->open_gpu != nullptr) names.emplace_back(backend->name);
  }
  process::IsolatedListing isolated(base::join(names), placement, isolation);
  std::vector<DetectedDevice> detected;
  for (const auto& [backend, for_any_gpu] : all) {
    if (for_any_gpu && count_usable_gpus(detected) >= placement.node_ranks) continue;
    const bool elsewhere = isolation.on && backend->open_gpu != nullptr;
    add_devices(
        detected, *backend,
        elsewhere ? isolated.list(std::string(backend->name)) : list_here(*backend, placement));
  }
  return {std::move(detected), isolated.take_process()};
}

/// Whether an entry of the list leaves a choice among devices of the backend, or among all GPUs.
std::vector<Needed> needed_for(std::span<const Wanted> requested) {
  std::vector<Needed> needed;
  for (const Backend& backend : backends()) {
    const auto any_gpu = [&](const Wanted& entry) {
      const bool any = entry.kind == Wanted::Kind::automatic || entry.name == kAnyGpu;
      return any && !backend.cores;
    };
    const auto any_of_it = [&](const Wanted& entry) {
      return entry.kind == Wanted::Kind::any_of && entry.name == backend.name;
    };
    if (std::ranges::any_of(requested, any_of_it)) {
      needed.push_back({&backend});
    } else if (std::ranges::any_of(requested, any_gpu)) {
      needed.push_back({&backend, true});
    }
  }
  return needed;
}

/// With fewer than two GPUs there is no choice, and the topology need not be loaded.
bool several_gpus(const std::vector<DetectedDevice>& detected) {
  const DetectedDevice* first = nullptr;
  for (const DetectedDevice& one : detected) {
    if (!one.info.is_gpu) continue;
    if (first == nullptr) first = &one;
    if (!same_hardware(first->info, one.info)) return true;
  }
  return false;
}

void mark_near(std::vector<DetectedDevice>& detected) {
  std::vector<std::string> addresses;
  addresses.reserve(detected.size());
  for (const DetectedDevice& one : detected) addresses.push_back(one.info.pci);
  const std::vector<bool> near = near_these_cores(addresses);
  for (std::size_t i = 0; i < detected.size(); ++i) detected[i].near = near[i];
}

}  // namespace

Discovered discover(std::span<const Wanted> requested, const Placement& placement,
                    const Isolation& isolation) {
  Discovered found = ask(needed_for(requested), placement, isolation);
  if (several_gpus(found.devices)) mark_near(found.devices);
  return found;
}

std::vector<DetectedDevice> discover_all(const Placement& placement, const Isolation& isolation) {
  std::vector<Needed> all;
  for (const Backend& backend : backends()) all.push_back({&backend});
  std::vector<DetectedDevice> detected = ask(all, placement, isolation).devices;
  for (DeviceInfo& info : absent_backends()) detected.push_back({std::move(info)});
  mark_near(detected);
  return detected;
}

}  // namespace tessera::device
