#include "run/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

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
    : place_(fmt::format("rank {} on {}", world.rank(), world.host())),
      threads_(threads),
      alone_(world.size() == 1) {
  for (auto& device : device::open_devices(device_list, place_of(world, threads))) {
    OpenDevice& open = devices_.emplace_back();
    open.device = std::move(device);
    open_lanes(*open.device);
  }
}

/// As many as it wants and has room for: a device of little memory gets a smaller ring. One it must
/// have.
void Lanes::open_lanes(const device::Device& device) {
  for (int i = 0; i < device.lanes(); ++i) {
    try {
      lanes_.push_back({device.open_lane({}), static_cast<int>(devices_.size()) - 1});
    } catch (const device::DeviceError& error) {
      if (i > 0) return;
      throw device::DeviceError(fmt::format("{}: {}", device.info().name, error.what()));
    }
  }
}

bool Lanes::want_whole_tiles() const {
  return std::ranges::any_of(devices_,
                             [](const OpenDevice& open) { return open.device->shuffles(); });
}

std::string Lanes::names() const {
  std::string names;
  for (const OpenDevice& open : devices_) {
    if (!names.empty()) names += '+';
    names += open.device->info().name;
  }
  return names;
}

std::string Lanes::lose(int lane, const std::string& why) {
  OpenDevice& open = devices_[static_cast<std::size_t>(device_number(lane))];
  const std::string name = open.device->info().name;
  const std::string cause = why.starts_with(name + ": ") ? why.substr(name.size() + 2) : why;
  std::scoped_lock lock(mutex_);
  if (!open.lost) {
    open.lost = true;
    losses_.push_back({name, cause});
    const bool others = !alone_ || losses_.size() < devices_.size();
    fmt::print(stderr, "tessera: {}: {} is out of the run: {}{}\n", place_, name, cause,
               others ? "; its tiles go to the others" : "");
  }
  return fmt::format("{}: {}", name, cause);
}

std::vector<report::LostDevice> Lanes::losses() const {
  std::scoped_lock lock(mutex_);
  return losses_;
}

int total_lanes(comm::World& world, int lanes) {
  return fold(world, lanes, std::plus<>());
}

}  // namespace tessera::run
