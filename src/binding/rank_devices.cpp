#include "binding/rank_devices.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace tessera::binding {

device::Placement place_of(const comm::World& world, int threads) {
  return {.node_rank = world.node_rank(),
          .node_ranks = world.node_ranks(),
          .mask_rank = world.mask_rank(),
          .mask_ranks = world.mask_ranks(),
          .threads = threads};
}

device::Isolation isolation_of(const Drive& drive) {
  return {.on = drive.isolate, .silence_s = static_cast<double>(drive.device_timeout_s)};
}

RankDevices::RankDevices(std::string_view device_list, const Drive& drive, const comm::World& world,
                         std::string items)
    : place_(fmt::format("rank {} on {}", world.rank(), world.host())),
      items_(std::move(items)),
      alone_(world.size() == 1) {
  device::Isolation isolation = isolation_of(drive);
  isolation.restarted = [this](const std::string& device, const std::string& why) {
    note_restart(device, why);
  };
  for (auto& device :
       device::open_devices(device_list, place_of(world, drive.threads), isolation)) {
    devices_.emplace_back().device = std::move(device);
  }
}

std::string RankDevices::names() const {
  std::string names;
  for (const OpenDevice& open : devices_) {
    if (!names.empty()) names += '+';
    names += open.device->info().name;
  }
  return names;
}

std::string RankDevices::lose(int device, const std::string& why) {
  OpenDevice& open = devices_[static_cast<std::size_t>(device)];
  const std::string name = open.device->info().name;
  const std::string cause = why.starts_with(name + ": ") ? why.substr(name.size() + 2) : why;
  std::scoped_lock lock(mutex_);
  if (!open.lost) {
    open.lost = true;
    losses_.push_back({name, cause});
    const bool others = !alone_ || losses_.size() < devices_.size();
    fmt::print(stderr, "tessera: {}: {} is out of the run: {}{}\n", place_, name, cause,
               others ? fmt::format("; its {} go to the others", items_) : "");
  }
  return fmt::format("{}: {}", name, cause);
}

void RankDevices::note_restart(const std::string& device, const std::string& why) {
  const std::scoped_lock lock(mutex_);
  restarts_.push_back({device, why});
  fmt::print(stderr, "tessera: {}: {}: {}; it has been started again\n", place_, device, why);
}

std::vector<report::LostDevice> RankDevices::restarts() const {
  const std::scoped_lock lock(mutex_);
  return restarts_;
}

std::vector<report::LostDevice> RankDevices::losses() const {
  std::scoped_lock lock(mutex_);
  return losses_;
}

}  // namespace tessera::binding
