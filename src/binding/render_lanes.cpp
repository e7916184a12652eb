#include "binding/render_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/select/registry.hpp"

namespace tessera::binding {

Lanes::Lanes(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world)
    : run_(run), devices_(std::move(chosen), run, world, "tiles") {
  for (int device = 0; device < devices_.count(); ++device) {
    if (!devices_.opening(device)) open_lanes(device);
  }
  if (devices_.late() < 0) return;
  for (int i = 0; i < devices_.late_lanes(); ++i) {
    lanes_.push_back({nullptr, devices_.late()});
  }
  devices_.fill_late_lanes([this](int device) { return open_late_lanes(device); });
  devices_.begin_opening();
}

std::unique_ptr<device::Lane> Lanes::open_lane(int device) const {
  return devices_.timed_lane(device, [&] {
    return devices_[device].open_lane(
        {.advance = &device::fastest_advance(), .finish = device::fastest_finish()});
  });
}

/// Fills the places of the device's lanes, as far as it has memory for them.
int Lanes::open_late_lanes(int device) {
  int opened = 0;
  for (OpenLane& open : lanes_) {
    if (open.device != device || opened == devices_[device].lanes()) continue;
    try {
      open.lane = open_lane(device);
      ++opened;
    } catch (const device::DeviceError& error) {
      if (opened > 0) break;
      throw device::DeviceError(fmt::format("{}: {}", devices_[device].info().name, error.what()));
    }
  }
  return opened;
}

/// Opens as many lanes as the device asks for and has memory for, at least one.
void Lanes::open_lanes(int device) {
  for (int i = 0; i < devices_[device].lanes(); ++i) {
    try {
      lanes_.push_back({open_lane(device), device});
    } catch (const device::DeviceError& error) {
      if (i > 0 || devices_.drop(device, error.what())) return;
      throw device::DeviceError(fmt::format("{}: {}", devices_[device].info().name, error.what()));
    }
  }
}

int Lanes::working() const {
  return static_cast<int>(std::ranges::count_if(lanes_, [&](const OpenLane& lane) {
    return !devices_.in_reserve(lane.device) && !devices_.opening(lane.device);
  }));
}

int Lanes::max_working() const {
  return run_.isolate ? count() : working();
}

bool Lanes::want_whole_tiles() const {
  for (int device = 0; device < devices_.count(); ++device) {
    if (!devices_.opening(device) && devices_[device].shuffles()) return true;
  }
  return false;
}

bool Lanes::are_of_gpus() const {
  for (int device = 0; device < devices_.count(); ++device) {
    if (devices_.opening(device)) return false;
    if (!devices_.in_reserve(device) && !devices_[device].info().is_gpu) return false;
  }
  return true;
}

}  // namespace tessera::binding
