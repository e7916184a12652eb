#include "device/select/numa_nearness.hpp"

#include "device/host/topology.hpp"

namespace tessera::device {

std::vector<bool> near_these_cores(std::span<const std::string> pci) {
  static const Topology topology = load_topology([](hwloc_topology_t raw) {
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    // Otherwise hwloc's plug-ins would start CUDA and OpenCL to find the names of devices.
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE);
  });
  const Bitmap allowed = allowed_cpus(topology.get());
  std::vector<bool> near;
  for (const std::string& address : pci) {
    hwloc_obj_t const device = hwloc_get_pcidev_by_busidstring(topology.get(), address.c_str());
    hwloc_obj_t const place =
        device == nullptr ? nullptr : hwloc_get_non_io_ancestor_obj(topology.get(), device);
    near.push_back(place != nullptr && place->cpuset != nullptr &&
                   hwloc_bitmap_intersects(place->cpuset, allowed.get()) != 0);
  }
  return near;
}

}  // namespace tessera::device
