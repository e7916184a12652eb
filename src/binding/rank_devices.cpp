#include "binding/rank_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tessera::binding {

device::Placement place_of(const comm::World& world, const job::RunSpec& run) {
  return {.node_rank = world.node_rank(),
          .node_ranks = world.node_ranks(),
          .mask_rank = world.mask_rank(),
          .mask_ranks = world.mask_ranks(),
          .threads = run.threads,
          .device_memory_bytes = run.device_memory_bytes};
}

device::Isolation isolation_of(const job::RunSpec& run) {
  return {.on = run.isolate, .silence_s = static_cast<double>(run.device_timeout_s)};
}

RankDevices::RankDevices(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world,
                         std::string items)
    : place_(fmt::format("rank {} on {}", world.rank(), world.host())),
      items_(std::move(items)),
      origin_(world.origin()),
      alone_(world.size() == 1) {
  device::Isolation isolation = isolation_of(run);
  isolation.restarted = [this](const std::string& device, const std::string& why) {
    note_restart(device, why);
  };
  const Open open = [&](const std::string& name) {
    return std::move(device::open_devices(name, place_of(world, run), isolation,
                                          std::exchange(chosen.process, nullptr))
                         .front());
  };
  open_all(chosen.list, open);
  if (chosen.reserve.empty()) return;
  OpenDevice& reserve = devices_.emplace_back();
  reserve.device = open(chosen.reserve);
  reserve.in_reserve = true;
}

/// Prints the losses at the end, when it is certain that a device is left.
void RankDevices::open_all(std::string_view list, const Open& open) {
  std::vector<report::LostDevice> unopened;
  const std::vector<device::Wanted> wanted = device::parse_device_list(list);
  for (const device::Wanted& entry : wanted) {
    try {
      auto device = open(entry.name);
      devices_.emplace_back().device = std::move(device);
    } catch (const device::DeviceError& error) {
      if (devices_.empty() && &entry == &wanted.back()) throw;
      unopened.push_back({entry.name, error.what()});
    }
  }
  for (const report::LostDevice& loss : unopened) print_loss(loss.device, loss.cause);
}

std::string RankDevices::names() const {
  std::string names;
  for (const OpenDevice& open : devices_) {
    if (open.in_reserve) continue;
    if (!names.empty()) names += '+';
    names += open.device->info().name;
  }
  return names;
}

int RankDevices::working() const {
  return static_cast<int>(std::ranges::count_if(
      devices_, [](const OpenDevice& open) { return !open.failed && !open.in_reserve; }));
}

/// Returns "DEVICE: why". Requires mutex_, once there are several threads.
std::string RankDevices::print_loss(const std::string& name, const std::string& why) {
  const std::string cause = why.starts_with(name + ": ") ? why.substr(name.size() + 2) : why;
  losses_.push_back({name, cause});
  const bool last = working() == 0;
  const bool reserve = last && !devices_.empty() && devices_.back().in_reserve;
  const std::string rest = reserve
                               ? fmt::format("; {} takes over", devices_.back().device->info().name)
                           : last && alone_ ? ""
                                            : fmt::format("; its {} go to the others", items_);
  fmt::print(stderr, "tessera: {}: {} is out of the run: {}{}\n", place_, name, cause, rest);
  return fmt::format("{}: {}", name, cause);
}

std::string RankDevices::lose(int device, const std::string& why) {
  OpenDevice& open = devices_[static_cast<std::size_t>(device)];
  const std::string& name = open.device->info().name;
  std::scoped_lock lock(mutex_);
  if (open.failed) return why.starts_with(name + ": ") ? why : fmt::format("{}: {}", name, why);
  open.failed = true;
  std::string what = print_loss(name, why);
  if (working() == 0) devices_.back().in_reserve = false;
  return what;
}

bool RankDevices::drop(int device, const std::string& why) {
  if (working() < 2) return false;
  lose(device, why);
  return true;
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

std::vector<report::DeviceOpening> RankDevices::openings() const {
  std::vector<report::DeviceOpening> openings;
  for (const OpenDevice& open : devices_) {
    device::Opening spans = open.device->opening();
    if (spans.empty()) continue;
    std::ranges::copy(open.lanes, std::back_inserter(spans));
    report::DeviceOpening& opening = openings.emplace_back();
    opening.device = open.device->info().name;
    for (const device::OpeningSpan& span : spans) {
      opening.parts.push_back(
          {std::string(device::kOpeningParts[static_cast<std::size_t>(span.part)]),
           base::seconds_between(origin_, span.start), base::seconds_between(origin_, span.end)});
    }
  }
  return openings;
}

std::vector<report::LostDevice> RankDevices::losses() const {
  std::scoped_lock lock(mutex_);
  return losses_;
}

}  // namespace tessera::binding
