// Prints the devices and cores of each rank before the work starts. A launcher that binds ranks to
// few cores or hides devices is a common reason for a slow run.
#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"

namespace tessera::binding {

struct RankPlacement {
  int rank = 0;
  std::string host;
  std::string devices;  ///< "cuda:0 (NVIDIA H200, 0000:17:00.0), cpu"
  bool gpu = false;     ///< drives a GPU
  int workers = 0;      ///< threads that drive the devices
  int allowed_cores = 0;
  int node_cores = 0;
  std::string cpus;             ///< "0-7,64-71"
  std::vector<int> numa_nodes;  ///< NUMA nodes of the allowed cores

  static auto members(auto& self) {
    return std::tie(self.rank, self.host, self.devices, self.gpu, self.workers, self.allowed_cores,
                    self.node_cores, self.cpus, self.numa_nodes);
  }
};

/// One line per rank. A host whose ranks are placed like those of the previous host gets a single
/// line.
std::vector<std::string> placement_lines(std::span<const RankPlacement> ranks);

/// A warning of one line if the ranks of a host may use less than half of its cores, which is the
/// default binding of mpirun for few ranks. Otherwise "".
std::string idle_cores_warning(std::span<const RankPlacement> ranks);

/// Collective. The gather rank logs the placement if there are several ranks or a
/// GPU, unless `quiet`.
void show_placement(comm::World& world, const Lanes& lanes, bool quiet);

}  // namespace tessera::binding
