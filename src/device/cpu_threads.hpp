// How many CPU threads a rank may use, and where.
#pragma once

#include <string>
#include <vector>

#include "device/placement.hpp"

namespace tessera::device {

/// Cores (not hardware threads: two of them share the FMA pipes that the kernels fill).
struct CoreCount {
  int allowed = 1;  ///< in the affinity mask of this process
  int node = 1;     ///< of the node, or of the part of it that this job was given
};

/// From hwloc; counts hardware threads where the machine does not show its cores.
CoreCount count_cores();

/// Operating system's numbers of the NUMA nodes that the allowed cores belong to.
std::vector<int> numa_nodes();

/// Where this process may run.
struct CpuPlacement {
  CoreCount cores;
  std::string cpus;             ///< operating system's numbers of the hardware threads: "0-7,64-71"
  std::vector<int> numa_nodes;  ///< as numa_nodes()
};

/// All of it from one look at the machine, of some ms.
CpuPlacement detect_cpus();

/// Placement::threads if given. Otherwise the allowed cores, divided among the ranks that have the
/// same affinity mask: launchers bind a rank to cores of its own, to a socket with others, or not
/// at all. At least 1.
int cpu_threads(const Placement& placement, const CoreCount& cores);

}  // namespace tessera::device
