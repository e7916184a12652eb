// How many CPU threads a rank may use, and on which cores.
#pragma once

#include <string>
#include <vector>

#include "device/placement.hpp"

namespace tessera::device {

/// Counts cores, not hardware threads: two threads of a core share the FMA units that the kernels
/// fill.
struct CoreCount {
  int allowed = 1;  ///< in the affinity mask of this process
  int node = 1;     ///< cores of the node, or of the part of it that belongs to this job
};

/// Asks hwloc; counts hardware threads if the machine does not report its cores.
CoreCount count_cores();

/// Operating system's numbers of the NUMA nodes that contain the allowed cores.
std::vector<int> numa_nodes();

/// The cores on which this process may run.
struct CpuPlacement {
  CoreCount cores;
  std::string cpus;             ///< operating system's numbers of the hardware threads: "0-7,64-71"
  std::vector<int> numa_nodes;  ///< as from numa_nodes()
};

/// Fills a CpuPlacement by loading the topology once, which takes some ms.
CpuPlacement detect_cpus();

/// Placement::threads if given. Otherwise the number of allowed cores, divided among the ranks with
/// the same affinity mask: launchers bind a rank to its own cores, to a socket shared with other
/// ranks, or not at all. At least 1.
int cpu_threads(const Placement& placement, const CoreCount& cores);

/// Lanes of a GPU: one per CPU thread that deflates, and some whose tiles are on the GPU meanwhile.
int gpu_lanes(const Placement& placement);

}  // namespace tessera::device
