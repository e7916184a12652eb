// tessera devices: lists the devices that each rank sees, those that it would use, and the reasons
// against the others.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>

#include "base/terminal.hpp"
#include "base/version.hpp"
#include "binding/device_choice.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "command/command_line.hpp"
#include "device/cpu_threads.hpp"
#include "device/mapper.hpp"
#include "job/run_options.hpp"
#include "report/devices.hpp"

namespace tessera::command {
namespace {

struct DevicesJob {
  std::string device = "auto";
  bool json = false;
};

std::span<const job::Option<DevicesJob>> devices_options() {
  static const std::vector<job::Option<DevicesJob>> options = {
      job::name({"device", "LIST", "show the devices that this list would choose"},
                &DevicesJob::device),
      job::toggle({"json", "", "print JSON instead of the table"}, &DevicesJob::json),
  };
  return options;
}

report::DeviceLine line_of(const device::DetectedDevice& detected, std::string reason) {
  const device::DeviceInfo& info = detected.info;
  return {.name = info.name,
          .what = info.detail,
          .reason = std::move(reason),
          .memory_bytes = info.memory_bytes,
          .driver = info.driver,
          .compute = info.compute,
          .fp64 = info.fp64,
          .gpu = info.is_gpu,
          .near = detected.near,
          .uuid = info.uuid,
          .pci = info.pci};
}

/// "" if the device evaluates no expressions, or has no memory for a stream now.
std::string compiler_of(const device::Device& device) {
  try {
    const auto mapper = device.open_mapper();
    return mapper ? mapper->compiler() : "";
  } catch (const device::DeviceError&) {
    return "";
  }
}

/// Opens the chosen devices to count their threads. A device that cannot be opened is reported in
/// the table.
void open_chosen(report::RankDevices& mine, const std::string& list,
                 const device::Placement& placement) {
  try {
    // The table reports a driver that crashes in the same way as one that refuses.
    for (const auto& device : device::open_devices(list, placement, {.on = true})) {
      mine.workers += device->lanes();
      const auto line =
          std::ranges::find(mine.devices, device->info().name, &report::DeviceLine::name);
      if (line != mine.devices.end()) line->compiler = compiler_of(*device);
    }
  } catch (const std::exception& error) {
    mine.problem = error.what();
  }
}

report::RankDevices describe_rank(const comm::World& world, const binding::DeviceChoice& choice) {
  const device::CoreCount cores = device::count_cores();
  const auto me = static_cast<std::size_t>(world.node_rank());
  report::RankDevices mine{.rank = world.rank(),
                           .host = world.host(),
                           .node_rank = world.node_rank(),
                           .node_ranks = world.node_ranks(),
                           .allowed_cores = cores.allowed,
                           .node_cores = cores.node,
                           .numa_nodes = device::numa_nodes(),
                           .uses = choice.of_node.names[me]};
  for (const device::DetectedDevice& detected : choice.detected) {
    mine.devices.push_back(line_of(
        detected, device::why_not(detected, me, choice.wanted, choice.sights, choice.of_node)));
  }
  open_chosen(mine, choice.list, binding::place_of(world, {}));
  return mine;
}

base::ExitCode show_devices(comm::World& world, std::span<const job::Given> given) {
  DevicesJob job;
  comm::agree(world, [&] { job::apply_options(job, devices_options(), given); });
  const binding::DeviceChoice choice =
      binding::make_choice(world, job.device, {}, binding::Discovery::at_everything);
  report::RankDevices mine;
  comm::agree(world, [&] { mine = describe_rank(world, choice); });
  const report::DevicesReport report{.version = base::version_and_commit(),
                                     .device_list = job.device,
                                     .ranks = comm::gather_values(world, mine)};
  if (world.is_root())
    fmt::print("{}",
               job.json ? to_json(report) : to_table(report, base::columns_of(STDOUT_FILENO)));
  const bool problem =
      !std::ranges::all_of(report.ranks, &std::string::empty, &report::RankDevices::problem);
  return comm::all_reduce(world, problem, std::logical_or<>()) ? base::ExitCode::missing
                                                               : base::ExitCode::done;
}

}  // namespace

void add_devices(Syntax& syntax, Action& action) {
  auto given = std::make_shared<std::vector<job::Given>>();
  syntax.add_options(devices_options(), *given);
  syntax.when_chosen([given, &action] {
    action = [given](comm::World& world) { return show_devices(world, *given); };
  });
}

}  // namespace tessera::command
