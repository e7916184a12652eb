#include "device/host/topology.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace tessera::device {
namespace {

/// hwloc loads all of its plug-ins with each topology, and with them the libraries that they are
/// linked to: X11, an XML library and GPU drivers, which this process must not load. None of these
/// plug-ins is needed, and only the environment can leave them out.
constexpr const char* kCancelled =
    "hwloc_cuda.so,hwloc_gl.so,hwloc_levelzero.so,hwloc_nvml.so,hwloc_opencl.so,hwloc_rsmi.so,"
    "hwloc_xml_libxml.so";

}  // namespace

void set_hwloc_environment() noexcept {
  ::setenv("HWLOC_PLUGINS_BLACKLIST", kCancelled, 0);
}

Topology load_topology(const std::function<void(hwloc_topology_t)>& set_filters) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw base::run_error("hwloc_topology_init failed");
  Topology topology(raw);
  set_filters(raw);
  if (hwloc_topology_load(raw) != 0) throw base::run_error("hwloc_topology_load failed");
  return topology;
}

Bitmap allowed_cpus(hwloc_topology_t topology) {
  const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology);
  Bitmap allowed(hwloc_bitmap_alloc());
  const bool known = hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS) == 0;
  if (known) hwloc_bitmap_and(allowed.get(), allowed.get(), all);
  if (!known || hwloc_bitmap_iszero(allowed.get())) hwloc_bitmap_copy(allowed.get(), all);
  return allowed;
}

}  // namespace tessera::device
