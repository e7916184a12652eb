// The position of a rank among the ranks of its node, and the isolation of its devices.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace tessera::device {

/// The position that decides which devices and cores a rank gets, and how much it may use of them.
struct Placement {
  int node_rank = 0;   ///< index of this rank on its node
  int node_ranks = 1;  ///< number of ranks on the node
  int mask_rank = 0;   ///< index among the ranks of the node with the same affinity mask
  int mask_ranks = 1;  ///< number of these ranks
  int threads = 0;     ///< requested CPU threads; 0 = all of the affinity mask
  std::uint64_t device_memory_bytes = 0;  ///< most memory of each GPU; 0 = all free memory
};

/// Whether devices with third-party drivers run in a separate process, so that a crash there does
/// not end the rank.
struct Isolation {
  bool on = false;  ///< needs the program of the run
  /// A process is killed after this many seconds of silence beyond the expected time of its work.
  double silence_s = 60;
  /// Called from any thread when the process of a device has ended and has been restarted.
  std::function<void(const std::string& device, const std::string& why)> restarted = {};
  /// When it is requested, nobody wants the devices any more: opening them ends at once, with a
  /// DeviceError, and their processes are killed.
  std::stop_token stop = {};
};

}  // namespace tessera::device
