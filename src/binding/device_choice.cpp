#include "binding/device_choice.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "device/select/discovery.hpp"

namespace tessera::binding {
namespace {

/// Sends only the fields that the choice needs.
void put(base::ByteWriter& out, const device::DetectedDevice& detected) {
  const device::DeviceInfo& info = detected.info;
  out.put_text(info.name).put_text(info.detail).put_text(info.reason);
  out.put_text(info.uuid).put_text(info.pci);
  out.put(info.fp64).put(info.is_gpu).put(detected.near);
}

device::DetectedDevice get_detected(base::ByteReader& in) {
  device::DetectedDevice detected;
  device::DeviceInfo& info = detected.info;
  for (std::string* text : {&info.name, &info.detail, &info.reason, &info.uuid, &info.pci}) {
    *text = in.get_text();
  }
  for (bool* flag : {&info.fp64, &info.is_gpu, &detected.near}) *flag = in.get<bool>();
  return detected;
}

/// Collective. Prints one line for all nodes together.
void print_warnings(comm::World& world, const std::vector<std::string>& warnings) {
  base::ByteWriter mine;
  if (world.node_rank() == 0) {
    for (const std::string& warning : warnings) mine.put_text(warning);
  }
  std::vector<std::string> all;
  for (const base::Bytes& part : world.gather(mine.take())) {
    base::ByteReader in(part);
    while (!in.empty()) all.push_back(in.get_text());
  }
  if (all.empty()) return;
  fmt::print(stderr, "tessera: {}{}\n", all.front(),
             all.size() > 1 ? fmt::format(", and so on: {} GPUs are shared", all.size()) : "");
}

void tell_of_crashes(const comm::World& world,
                     const std::vector<device::DetectedDevice>& detected) {
  for (const device::DetectedDevice& one : detected) {
    if (!one.crashed) continue;
    fmt::print(stderr, "tessera: rank {} on {}: {}: {}\n", world.rank(), world.host(),
               one.info.name, one.info.reason);
  }
}

}  // namespace

std::vector<device::RankDevicesSeen> exchange_detected_devices(
    comm::World& world, const std::vector<device::DetectedDevice>& mine) {
  base::ByteWriter out;
  out.put(world.rank());
  for (const device::DetectedDevice& detected : mine) put(out, detected);
  std::vector<device::RankDevicesSeen> node;
  for (const base::Bytes& part : world.gather_node(out.take())) {
    base::ByteReader in(part);
    device::RankDevicesSeen& sight = node.emplace_back();
    if (part.empty()) continue;  // the rank is lost
    sight.rank = in.get<int>();
    while (!in.empty()) sight.devices.push_back(get_detected(in));
  }
  return node;
}

DeviceChoice make_choice(comm::World& world, std::string_view list, const job::RunSpec& run,
                         Discovery look) {
  DeviceChoice choice;
  comm::agree(world, [&] {
    choice.wanted = device::parse_device_list(list);
    const device::Placement placement = place_of(world, run.threads);
    const device::Isolation isolation = isolation_of(run);
    choice.detected = look == Discovery::at_everything
                          ? device::discover_all(placement, isolation)
                          : device::discover(choice.wanted, placement, isolation);
    base::keep_listening();
    if (look == Discovery::at_what_is_needed) tell_of_crashes(world, choice.detected);
  });
  choice.sights = exchange_detected_devices(world, choice.detected);
  comm::agree(world, [&] { choice.of_node = device::choose(choice.wanted, choice.sights); });
  for (std::string& warning : choice.of_node.warnings) warning.insert(0, world.host() + ": ");
  print_warnings(world, choice.of_node.warnings);
  choice.list = base::join(choice.of_node.names[static_cast<std::size_t>(world.node_rank())]);
  return choice;
}

void open_chosen(std::string_view asked, const std::string& chosen, const comm::World& world,
                 const std::function<void(std::string_view)>& open) {
  try {
    open(chosen);
  } catch (const base::Error& error) {
    if (base::trim(asked) != device::kAuto || chosen == device::kCores) throw;
    fmt::print(stderr, "tessera: rank {} on {}: {}; takes its cores instead\n", world.rank(),
               world.host(), error.what());
    open(device::kCores);
  }
  base::keep_listening();
}

void open_chosen(std::optional<Lanes>& lanes, std::string_view asked, const std::string& chosen,
                 const job::RunSpec& run, const comm::World& world) {
  open_chosen(asked, chosen, world,
              [&](std::string_view list) { lanes.emplace(list, run, world); });
}

std::string choose_devices(comm::World& world, std::string_view list, const job::RunSpec& run) {
  return make_choice(world, list, run, Discovery::at_what_is_needed).list;
}

}  // namespace tessera::binding
