// Where a rank runs among the ranks of its node, and how its devices are kept apart from it.
#pragma once

#include <functional>
#include <string>

namespace tessera::device {

/// What a rank knows about its place when it chooses devices.
struct Placement {
  int node_rank = 0;   ///< number of this rank among those of its node
  int node_ranks = 1;  ///< how many ranks share the node
  int mask_rank = 0;   ///< number among those that have the same affinity mask
  int mask_ranks = 1;  ///< how many those are
  int threads = 0;     ///< CPU threads asked for; 0 = all of the affinity mask
};

/// Whether and how devices that are driven by code of others get a process of their own, so that a
/// crash in there is no crash of the rank.
struct Isolation {
  bool on = false;
  /// A process that is silent for longer than its work explains, and this besides, is killed.
  double silence_s = 60;
  /// Called, in any thread, when the process of a device has ended and been started again.
  std::function<void(const std::string& device, const std::string& why)> restarted = {};
};

}  // namespace tessera::device
