#include "run/lanes.hpp"

#include <functional>

#include "run/fold.hpp"

namespace tessera::run {

device::Placement place_of(const comm::World& world, int threads) {
  return {.node_rank = world.node_rank(),
          .node_ranks = world.node_ranks(),
          .mask_rank = world.mask_rank(),
          .mask_ranks = world.mask_ranks(),
          .threads = threads};
}

Lanes::Lanes(std::string_view device_list, int threads, const comm::World& world)
    : devices_(device::open_devices(device_list, place_of(world, threads))) {
  for (const auto& device : devices_) {
    for (int i = 0; i < device->lanes(); ++i) {
      lanes_.push_back({device->open_lane({}), device.get()});
    }
  }
}

std::string Lanes::names() const {
  std::string names;
  for (const auto& device : devices_) {
    if (!names.empty()) names += '+';
    names += device->info().name;
  }
  return names;
}

int total_lanes(comm::World& world, int lanes) {
  return fold(world, lanes, std::plus<>());
}

}  // namespace tessera::run
