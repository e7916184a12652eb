// The machine as hwloc shows it, for the few sources that ask it.
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

/// `set_filters` says what is looked at, which is what the look costs. Throws run_error.
Topology load_topology(const std::function<void(hwloc_topology_t)>& set_filters);

/// The processors that this process may use; all of the topology where that is not known.
Bitmap allowed_cpus(hwloc_topology_t topology);

}  // namespace tessera::device
