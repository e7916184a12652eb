#include "binding/device_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/gather_values.hpp"
#include "device/select/discovery.hpp"

namespace tessera::binding {
namespace {

/// Collective. Prints one line for all nodes together.
void print_warnings(comm::World& world, const std::vector<std::string>& warnings) {
  std::vector<std::string> all;
  for (auto& of_rank :
       comm::gather_values(world, world.node_rank() == 0 ? warnings : std::vector<std::string>())) {
    std::ranges::move(of_rank, std::back_inserter(all));
  }
  if (all.empty()) return;
  base::log("tessera: {}{}", all.front(),
            all.size() > 1 ? fmt::format(", and so on: {} GPUs are shared", all.size()) : "");
}

void tell_of_crashes(const comm::World& world,
                     const std::vector<device::DetectedDevice>& detected) {
  for (const device::DetectedDevice& one : detected) {
    if (!one.crashed) continue;
    base::log("tessera: rank {} on {}: {}: {}", world.rank(), world.host(), one.info.name,
              one.info.reason);
  }
}

}  // namespace

std::vector<device::RankDevicesSeen> exchange_detected_devices(
    comm::World& world, const std::vector<device::DetectedDevice>& mine) {
  std::vector<device::RankDevicesSeen> node;
  const device::RankDevicesSeen own{world.rank(), mine};
  for (const base::Bytes& part : world.gather_node(base::to_bytes(own))) {
    // Empty bytes are of a rank that is lost.
    node.push_back(part.empty() ? device::RankDevicesSeen()
                                : base::from_bytes<device::RankDevicesSeen>(part));
  }
  return node;
}

DeviceChoice make_choice(comm::World& world, std::string_view list, const job::RunSpec& run,
                         Discovery look) {
  DeviceChoice choice;
  comm::agree(world, [&] {
    choice.requested = device::parse_device_list(list);
    const device::Placement placement = place_of(world, run);
    const device::Isolation isolation = isolation_of(run);
    if (look == Discovery::at_everything) {
      choice.detected = device::discover_all(placement, isolation);
    } else {
      device::Discovered found = device::discover(choice.requested, placement, isolation);
      choice.detected = std::move(found.devices);
      choice.chosen.process = std::move(found.process);
    }
    base::this_run().events.drivers_loaded();
    if (look == Discovery::at_what_is_needed) tell_of_crashes(world, choice.detected);
  });
  choice.sights = exchange_detected_devices(world, choice.detected);
  comm::agree(world, [&] { choice.of_node = device::choose(choice.requested, choice.sights); });
  for (std::string& warning : choice.of_node.warnings) warning.insert(0, world.host() + ": ");
  print_warnings(world, choice.of_node.warnings);
  choice.chosen.list =
      base::join(choice.of_node.names[static_cast<std::size_t>(world.node_rank())]);
  return choice;
}

void open_chosen(std::string_view asked, const ChosenDevices& chosen, const comm::World& world,
                 const std::function<void(const ChosenDevices&)>& open) {
  const std::string cores(device::kCores);
  const bool replaceable = base::trim(asked) == device::kAuto && chosen.list != cores;
  const auto entries = device::parse_device_list(chosen.list);
  const bool has_cores = std::ranges::find(entries, cores, &device::Wanted::name) != entries.end();
  try {
    ChosenDevices opened = chosen;
    opened.reserve = replaceable && !has_cores ? cores : "";
    open(opened);
  } catch (const base::Error& error) {
    if (!replaceable) throw;
    base::log("tessera: rank {} on {}: {}; takes its cores instead", world.rank(), world.host(),
              error.what());
    open({.list = cores});
  }
  base::this_run().events.drivers_loaded();
}

void open_chosen(std::optional<Lanes>& lanes, std::string_view asked, const ChosenDevices& chosen,
                 const job::RunSpec& run, const comm::World& world) {
  open_chosen(asked, chosen, world,
              [&](const ChosenDevices& devices) { lanes.emplace(devices, run, world); });
}

ChosenDevices choose_devices(comm::World& world, std::string_view list, const job::RunSpec& run,
                             Joining joining) {
  const std::string cores(device::kCores);
  const bool may_join =
      joining == Joining::under_auto && run.isolate && base::trim(list) == device::kAuto;
  if (may_join && !comm::all_reduce(world, world.node_ranks() > 1, std::logical_or<>())) {
    return {.list = cores, .joins = true};
  }
  DeviceChoice choice = make_choice(world, list, run, Discovery::at_what_is_needed);
  if (!may_join || choice.chosen.list == cores) return std::move(choice.chosen);
  const auto gpu = std::ranges::find(choice.detected, choice.chosen.list,
                                     [](const auto& detected) { return detected.info.name; });
  return {
      .list = cores, .process = std::move(choice.chosen.process), .joins = true, .late = gpu->info};
}

}  // namespace tessera::binding
