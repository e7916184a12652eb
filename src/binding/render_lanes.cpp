#include "binding/render_lanes.hpp"

#include <fmt/format.h>

#include <functional>

#include "comm/all_reduce.hpp"

namespace tessera::binding {

Lanes::Lanes(std::string_view device_list, const Drive& drive, const comm::World& world)
    : drive_(drive), devices_(device_list, drive, world, "tiles") {
  for (int device = 0; device < devices_.count(); ++device) open_lanes(device);
}

/// As many as it wants and has room for: a device of little memory gets a smaller ring. One it must
/// have.
void Lanes::open_lanes(int device) {
  for (int i = 0; i < devices_[device].lanes(); ++i) {
    try {
      lanes_.push_back({devices_[device].open_lane({}), device});
    } catch (const device::DeviceError& error) {
      if (i > 0) return;
      throw device::DeviceError(fmt::format("{}: {}", devices_[device].info().name, error.what()));
    }
  }
}

bool Lanes::want_whole_tiles() const {
  for (int device = 0; device < devices_.count(); ++device) {
    if (devices_[device].shuffles()) return true;
  }
  return false;
}

int total_lanes(comm::World& world, int lanes) {
  return comm::fold(world, lanes, std::plus<>());
}

}  // namespace tessera::binding
