#include "device/select/matching.hpp"

#include <algorithm>

namespace tessera::device {
namespace {

/// Kuhn's algorithm: a rank takes a free device, or one whose rank can move to another. A rank that
/// has a device never loses it.
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<Reach>>& reach)
      : reach_(reach), device_of_(reach.size(), -1) {
    int devices = 0;
    for (const auto& row : reach) {
      for (const Reach& one : row) devices = std::max(devices, one.device + 1);
    }
    rank_of_.assign(static_cast<std::size_t>(devices), -1);
  }

  void place(std::size_t rank, bool near_only) {
    if (device_of_[rank] >= 0) return;
    visited_.assign(rank_of_.size(), false);
    find_device(rank, near_only);
  }

  const std::vector<int>& device_of() const { return device_of_; }

 private:
  bool find_device(std::size_t rank, bool near_only) {
    for (const bool by_moving : {false, true}) {
      for (const Reach& one : reach_[rank]) {
        const auto device = static_cast<std::size_t>(one.device);
        if (visited_[device] || (near_only && !one.near)) continue;
        const int holder = rank_of_[device];
        if ((holder >= 0) != by_moving) continue;
        visited_[device] = true;
        if (by_moving && !find_device(static_cast<std::size_t>(holder), near_only)) continue;
        rank_of_[device] = static_cast<int>(rank);
        device_of_[rank] = one.device;
        return true;
      }
    }
    return false;
  }

  const std::vector<std::vector<Reach>>& reach_;
  std::vector<int> device_of_;  ///< for each rank; -1 = none
  std::vector<int> rank_of_;    ///< for each device; -1 = none
  std::vector<bool> visited_;
};

}  // namespace

std::vector<int> match(const std::vector<std::vector<Reach>>& reach) {
  Matching any(reach);
  for (std::size_t rank = 0; rank < reach.size(); ++rank) any.place(rank, false);
  // The set of ranks with a device is fixed now. Give near devices to as many of them as possible.
  Matching best(reach);
  for (const bool near_only : {true, false}) {
    for (std::size_t rank = 0; rank < reach.size(); ++rank) {
      if (any.device_of()[rank] >= 0) best.place(rank, near_only);
    }
  }
  return best.device_of();
}

}  // namespace tessera::device
