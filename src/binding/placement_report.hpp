// Which devices and cores each rank got, told once before the work starts: what a launcher binds
// and hides is the first thing to look at when a run is slow.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"

namespace tessera::binding {

struct RankPlacement {
  int rank = 0;
  std::string host;
  std::string devices;  ///< "cuda:0 (NVIDIA H200, 0000:17:00.0), cpu"
  bool gpu = false;     ///< drives one
  int workers = 0;      ///< threads that drive the devices
  int allowed_cores = 0;
  int node_cores = 0;
  std::string cpus;             ///< "0-7,64-71"
  std::vector<int> numa_nodes;  ///< of the allowed cores
};

/// A line a rank; one for all ranks of a host that are placed as those of the host before.
std::vector<std::string> placement_lines(std::span<const RankPlacement> ranks);

/// A line where the ranks of hosts may use less than half of the cores, as mpirun binds by default
/// when there are few of them; "" otherwise.
std::string idle_cores_warning(std::span<const RankPlacement> ranks);

/// Collective. Tells on stderr of the gather rank where there is something to tell: several ranks
/// or a GPU, and not `quiet`.
void show_placement(comm::World& world, const Lanes& lanes, bool quiet);

}  // namespace tessera::binding
