#include "binding/render_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/deep_block.hpp"

namespace tessera::binding {

Lanes::Lanes(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world)
    : run_(run), devices_(std::move(chosen), run, world, "tiles") {
  for (int device = 0; device < devices_.count(); ++device) open_lanes(device);
}

/// Opens as many lanes as the device asks for and has memory for, at least one.
void Lanes::open_lanes(int device) {
  for (int i = 0; i < devices_[device].lanes(); ++i) {
    try {
      auto lane = devices_.timed_lane(device, [&] {
        return devices_[device].open_lane({.advance = &device::fastest_advance()});
      });
      lanes_.push_back({std::move(lane), device});
    } catch (const device::DeviceError& error) {
      if (i > 0 || devices_.drop(device, error.what())) return;
      throw device::DeviceError(fmt::format("{}: {}", devices_[device].info().name, error.what()));
    }
  }
}

int Lanes::working() const {
  return static_cast<int>(std::ranges::count_if(
      lanes_, [&](const OpenLane& lane) { return !devices_.in_reserve(lane.device); }));
}

bool Lanes::want_whole_tiles() const {
  for (int device = 0; device < devices_.count(); ++device) {
    if (devices_[device].shuffles()) return true;
  }
  return false;
}

}  // namespace tessera::binding
