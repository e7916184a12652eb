// tessera devices: lists the devices that each rank sees, those that it would use, and the reasons
// against the others.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>

#include "base/terminal.hpp"
#include "base/version.hpp"
#include "bench/device_check.hpp"
#include "binding/device_choice.hpp"
#include "binding/render_lanes.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "command/command_line.hpp"
#include "device/host/cpu_threads.hpp"
#include "device/select/registry.hpp"
#include "job/run_options.hpp"
#include "report/devices.hpp"

namespace tessera::command {
namespace {

struct DevicesJob {
  std::string device = "auto";
  bool check = false;
  bool json = false;
};

std::span<const job::Option<DevicesJob>> devices_options() {
  static const std::vector<job::Option<DevicesJob>> options = {
      job::name({"device", "LIST", "show the devices that this list would choose"},
                &DevicesJob::device),
      job::toggle({"check", "",
                   "compute a little on each device, compare it with the reference, and say how "
                   "fast it is; in some seconds"},
                  &DevicesJob::check),
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

/// The threads that would drive the device. A GPU is not opened for that: a context takes hundreds
/// of MiB of its memory. Throws if there is no such device.
int workers_of(const std::string& name, const std::vector<device::DetectedDevice>& detected,
               const device::Placement& placement) {
  const std::string backend = name.substr(0, name.find(':'));
  if (std::ranges::find(device::backends(), backend, &device::Backend::name)->cores) {
    return device::open_devices(name, placement).front()->lanes();
  }
  const auto same = [&](const device::DetectedDevice& one) { return one.info.name == name; };
  const auto found = std::ranges::find_if(detected, same);
  if (found == detected.end()) {
    throw base::missing_error("--device {}: there is no such device", name);
  }
  if (!found->info.reason.empty()) {
    throw base::missing_error("--device {}: {} cannot be used: {}", name, found->info.detail,
                              found->info.reason);
  }
  return found->info.lanes;
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
        detected, device::why_not(detected, me, choice.requested, choice.sights, choice.of_node)));
  }
  try {
    for (const std::string& name : mine.uses) {
      mine.workers += workers_of(name, choice.detected, binding::place_of(world, {}));
    }
  } catch (const std::exception& error) {
    mine.problem = error.what();
  }
  return mine;
}

/// The first rank of a node checks the devices that it would use, and all GPUs that CUDA has, one
/// after the other: OpenCL has the same ones again.
void check_devices(const comm::World& world, const binding::DeviceChoice& choice,
                   report::RankDevices& mine) {
  if (world.node_rank() != 0) return;
  for (std::size_t i = 0; i < mine.devices.size(); ++i) {
    const device::DeviceInfo& info = choice.detected[i].info;
    report::DeviceLine& device = mine.devices[i];
    const bool is_other_gpu = info.reason.empty() && info.name.starts_with("cuda");
    if (!device.reason.empty() && !is_other_gpu) continue;
    device.check = bench::check_device(device.name, binding::place_of(world, {}));
  }
}

base::ExitCode show_devices(comm::World& world, std::span<const job::Given> given) {
  DevicesJob job;
  comm::agree(world, [&] { job::apply_options(job, devices_options(), given); });
  const binding::DeviceChoice choice =
      binding::make_choice(world, job.device, {}, binding::Discovery::at_everything);
  report::RankDevices mine;
  comm::agree(world, [&] { mine = describe_rank(world, choice); });
  if (job.check) check_devices(world, choice, mine);
  const report::DevicesReport report{.version = base::version_and_commit(),
                                     .device_list = job.device,
                                     .ranks = comm::gather_values(world, mine)};
  if (world.is_root())
    fmt::print("{}",
               job.json ? to_json(report) : to_table(report, base::columns_of(STDOUT_FILENO)));
  const bool problem =
      !std::ranges::all_of(report.ranks, &std::string::empty, &report::RankDevices::problem);
  if (comm::all_reduce(world, problem, std::logical_or<>())) return base::ExitCode::missing;
  const auto is_right = [](const report::DeviceLine& device) {
    return device.check.problems.empty();
  };
  const bool wrong = !std::ranges::all_of(mine.devices, is_right);
  return comm::all_reduce(world, wrong, std::logical_or<>()) ? base::ExitCode::failed
                                                             : base::ExitCode::done;
}

}  // namespace

void add_devices(Syntax& syntax, Action& action) {
  auto given = std::make_shared<std::vector<job::Given>>();
  syntax.add_options(devices_options(), *given);
  set_action(syntax, action,
             [given](run::Context& context) { return show_devices(context.world, *given); });
}

}  // namespace tessera::command
