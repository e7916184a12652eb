#include "binding/placement_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/gather_values.hpp"
#include "device/host/cpu_threads.hpp"

namespace tessera::binding {
namespace {

std::string describe(const device::DeviceInfo& info) {
  if (!info.is_gpu) return info.name;
  return fmt::format("{} ({}{}{})", info.name, info.detail, info.pci.empty() ? "" : ", ", info.pci);
}

RankPlacement look(const comm::World& world, const Lanes& lanes) {
  const device::CpuPlacement cpus = device::detect_cpus();
  RankPlacement mine{.rank = world.rank(),
                     .host = world.host(),
                     .workers = lanes.working(),
                     .allowed_cores = cpus.cores.allowed,
                     .node_cores = cpus.cores.node,
                     .cpus = cpus.cpus,
                     .numa_nodes = cpus.numa_nodes};
  std::vector<std::string> devices;
  for (int device = 0; device < lanes.devices().count(); ++device) {
    if (lanes.devices().lost(device)) continue;
    devices.push_back(describe(lanes.devices()[device].info()));
    mine.gpu = mine.gpu || lanes.devices()[device].info().is_gpu;
  }
  mine.devices = base::join(devices);
  return mine;
}

/// The text for a rank, without its number and host.
std::string where(const RankPlacement& place) {
  return fmt::format("{}, {}, on {} of {} (CPUs {}; NUMA node {})", place.devices,
                     base::count_of(place.workers, "thread"), place.allowed_cores,
                     base::count_of(place.node_cores, "core"), place.cpus,
                     fmt::join(place.numa_nodes, ","));
}

/// The leading entries of `ranks` that are on the host of the first one.
std::span<const RankPlacement> ranks_of_first_host(std::span<const RankPlacement> ranks) {
  const auto other = std::ranges::find_if(
      ranks, [&](const RankPlacement& place) { return place.host != ranks.front().host; });
  return ranks.first(static_cast<std::size_t>(other - ranks.begin()));
}

}  // namespace

std::vector<std::string> placement_lines(std::span<const RankPlacement> ranks) {
  std::vector<std::string> lines;
  std::vector<std::string> host_before;
  while (!ranks.empty()) {
    const auto here = ranks_of_first_host(ranks);
    ranks = ranks.subspan(here.size());
    std::vector<std::string> places;
    std::ranges::transform(here, std::back_inserter(places), where);
    const bool as_before = places == host_before && here.size() > 1;
    if (as_before) {
      lines.push_back(fmt::format("ranks {} to {} on {}: as on the host before", here.front().rank,
                                  here.back().rank, here.front().host));
    }
    for (std::size_t i = 0; !as_before && i < here.size(); ++i) {
      lines.push_back(fmt::format("rank {} on {}: {}", here[i].rank, here[i].host, places[i]));
    }
    host_before = std::move(places);
  }
  return lines;
}

std::string idle_cores_warning(std::span<const RankPlacement> ranks) {
  std::set<std::string> hosts;
  std::string first;
  for (const RankPlacement& place : ranks) {
    if (!hosts.insert(place.host).second) continue;
    std::set<std::string> masks;
    int allowed = 0;
    for (const RankPlacement& other : ranks) {
      if (other.host == place.host && masks.insert(other.cpus).second)
        allowed += other.allowed_cores;
    }
    if (!first.empty() || 2 * allowed >= place.node_cores) continue;
    first = fmt::format(
        "{}: its ranks may use {} of {} cores; mpirun --bind-to none or srun "
        "--cpus-per-task gives them more",
        place.host, allowed, place.node_cores);
  }
  return first;
}

void show_placement(comm::World& world, const Lanes& lanes, bool quiet) {
  RankPlacement mine;
  comm::agree(world, [&] {
    if (!quiet) mine = look(world, lanes);
  });
  const bool gpus = comm::all_reduce(world, mine.gpu, std::logical_or<>());
  if (quiet || (world.size() == 1 && !gpus)) return;
  const auto ranks = comm::gather_values(world, mine);
  for (const std::string& line : placement_lines(ranks)) base::log("{}", line);
  const std::string warning = idle_cores_warning(ranks);
  if (!warning.empty()) base::log("tessera: {}", warning);
}

}  // namespace tessera::binding
