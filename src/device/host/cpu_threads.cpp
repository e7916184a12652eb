#include "device/host/cpu_threads.hpp"

#include <algorithm>

#include "device/host/topology.hpp"

namespace tessera::device {

namespace {

hwloc_topology_t all_cores() {
  // Only cores matter here; discovering caches and I/O devices would take longer.
  static const Topology topology = load_topology([](hwloc_topology_t raw) {
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  });
  return topology.get();
}

int cores_within(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  int cores = 0;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    if (hwloc_bitmap_intersects(core->cpuset, cpus)) ++cores;
  }
  return std::max(cores > 0 ? cores : hwloc_bitmap_weight(cpus), 1);
}

CoreCount cores_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  // Without the "disallowed" flag, this is the part of the node that the cgroup permits.
  const hwloc_const_bitmap_t node = hwloc_topology_get_topology_cpuset(topology);
  return {cores_within(topology, allowed), cores_within(topology, node)};
}

std::vector<int> numa_nodes_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  std::vector<int> numbers;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_intersects(node->cpuset, allowed)) {
      numbers.push_back(static_cast<int>(node->os_index));
    }
  }
  return numbers;
}

std::string list_of(hwloc_const_bitmap_t cpus) {
  std::string text(static_cast<std::size_t>(hwloc_bitmap_list_snprintf(nullptr, 0, cpus)) + 1, 0);
  hwloc_bitmap_list_snprintf(text.data(), text.size(), cpus);
  text.pop_back();
  return text;
}

}  // namespace

CoreCount count_cores() {
  return cores_of(all_cores(), allowed_cpus(all_cores()).get());
}

std::vector<int> numa_nodes() {
  return numa_nodes_of(all_cores(), allowed_cpus(all_cores()).get());
}

CpuPlacement detect_cpus() {
  const Bitmap allowed = allowed_cpus(all_cores());
  return {cores_of(all_cores(), allowed.get()), list_of(allowed.get()),
          numa_nodes_of(all_cores(), allowed.get())};
}

int gpu_lanes(const Placement& placement) {
  constexpr int kInFlight = 4;
  static const CoreCount cores = count_cores();  // takes some ms
  return cpu_threads(placement, cores) + kInFlight;
}

int cpu_threads(const Placement& placement, const CoreCount& cores) {
  if (placement.threads > 0) return placement.threads;
  const int sharers = std::max(placement.mask_ranks, 1);
  // The first ranks get the remainder.
  const int extra = placement.mask_rank < cores.allowed % sharers ? 1 : 0;
  return std::max(cores.allowed / sharers + extra, 1);
}

}  // namespace tessera::device
