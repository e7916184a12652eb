#include "run/lanes.hpp"

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
  int total = 0;
  base::ByteWriter mine;
  for (const base::Bytes& part : world.gather(mine.put(lanes).take())) {
    total += base::ByteReader(part).get<int>();
  }
  base::ByteWriter sum;
  const base::Bytes everywhere = world.broadcast(sum.put(total).take());
  return base::ByteReader(everywhere).get<int>();
}

}  // namespace tessera::run
