// Loads the machine's topology with hwloc.
#pragma once

#include <hwloc.h>

#include <functional>
#include <memory>

namespace tessera::device {

struct TopologyCloser {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyCloser>;

struct BitmapCloser {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapCloser>;

/// To be called by a process that belongs to Tessera, before it has threads, which may be reading
/// the environment. What the environment says already stays.
void set_hwloc_environment() noexcept;

/// It takes some milliseconds, and the machine stays what it is: callers keep the result.
/// `set_filters` selects the objects to discover, which determines the cost. Throws
/// run_error.
Topology load_topology(const std::function<void(hwloc_topology_t)>& set_filters);

/// The processors that this process may use; the whole topology if that is unknown.
Bitmap allowed_cpus(hwloc_topology_t topology);

}  // namespace tessera::device
