#include "device/threads.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"

namespace tessera::device {

namespace {

struct TopologyCloser {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyCloser>;

struct BitmapCloser {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapCloser>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw base::run_error("hwloc_topology_init failed");
  Topology topology(raw);
  // Only cores matter here; caches and I/O devices would make the look slower.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) throw base::run_error("hwloc_topology_load failed");
  return topology;
}

int cores_within(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  int cores = 0;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    if (hwloc_bitmap_intersects(core->cpuset, cpus)) ++cores;
  }
  return std::max(cores > 0 ? cores : hwloc_bitmap_weight(cpus), 1);
}

}  // namespace

CoreCount count_cores() {
  const Topology topology = load_topology();
  // Without the "disallowed" flag this is what the cgroup leaves of the node.
  const hwloc_const_bitmap_t node = hwloc_topology_get_topology_cpuset(topology.get());
  const Bitmap allowed(hwloc_bitmap_alloc());
  const bool known = hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_PROCESS) == 0;
  if (known) hwloc_bitmap_and(allowed.get(), allowed.get(), node);
  const int node_cores = cores_within(topology.get(), node);
  if (!known || hwloc_bitmap_iszero(allowed.get())) return {node_cores, node_cores};
  return {cores_within(topology.get(), allowed.get()), node_cores};
}

int cpu_threads(const Placement& placement, const CoreCount& cores) {
  if (placement.threads > 0) return placement.threads;
  const int sharers = std::max(placement.mask_ranks, 1);
  // The first ranks take the cores that do not divide evenly.
  const int extra = placement.mask_rank < cores.allowed % sharers ? 1 : 0;
  return std::max(cores.allowed / sharers + extra, 1);
}

}  // namespace tessera::device
