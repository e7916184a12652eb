#include "device/select/discovery.hpp"

#include <algorithm>
#include <exception>

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

/// The devices of `wanted`, in that order. Backends with third-party drivers are asked in a
/// separate process.
std::vector<DetectedDevice> discover_backends(const std::vector<const Backend*>& wanted,
                                              const Placement& placement,
                                              const Isolation& isolation) {
  const auto isolated = [&](const Backend* backend) {
    return isolation.on && backend->open_gpu != nullptr;
  };
  std::vector<std::string> names;
  for (const Backend* backend : wanted) {
    if (isolated(backend)) names.emplace_back(backend->name);
  }
  std::vector<Listing> listings = process::list_isolated(names, placement, isolation);
  std::vector<DetectedDevice> detected;
  auto next = listings.begin();
  for (const Backend* backend : wanted) {
    add_devices(detected, *backend,
                isolated(backend) ? std::move(*next++) : list_here(*backend, placement));
  }
  return detected;
}

bool needs(std::span<const Wanted> wanted, const Backend& backend) {
  return std::ranges::any_of(wanted, [&](const Wanted& entry) {
    if (entry.kind == Wanted::Kind::automatic) return !backend.cores;
    return entry.kind == Wanted::Kind::any_of &&
           (entry.name == kAnyGpu ? !backend.cores : entry.name == backend.name);
  });
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

std::vector<DetectedDevice> discover(std::span<const Wanted> wanted, const Placement& placement,
                                     const Isolation& isolation) {
  std::vector<const Backend*> needed;
  for (const Backend& backend : backends()) {
    if (needs(wanted, backend)) needed.push_back(&backend);
  }
  std::vector<DetectedDevice> detected = discover_backends(needed, placement, isolation);
  if (several_gpus(detected)) mark_near(detected);
  return detected;
}

std::vector<DetectedDevice> discover_all(const Placement& placement, const Isolation& isolation) {
  std::vector<const Backend*> all;
  for (const Backend& backend : backends()) all.push_back(&backend);
  std::vector<DetectedDevice> detected = discover_backends(all, placement, isolation);
  for (DeviceInfo& info : absent_backends()) detected.push_back({std::move(info)});
  mark_near(detected);
  return detected;
}

}  // namespace tessera::device
