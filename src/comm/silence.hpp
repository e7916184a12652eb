// For how long nothing has been heard of whom. Pure: times are passed in.
#pragma once

#include <vector>

namespace tessera::comm {

/// Counts time while this process runs: one that was stopped itself for a while, or whose machine
/// slept, takes nobody for silent because of that.
class TimeSinceHeard {
 public:
  explicit TimeSinceHeard(int ranks) : heard_s_(static_cast<std::size_t>(ranks)) {}

  void heard(int rank) { heard_s_[static_cast<std::size_t>(rank)] = awake_s_; }
  /// Called every `tick_s`, less often when this process was kept from it.
  void pass(double now_s, double tick_s);
  /// Since `rank` was last heard of; since the start if it never was.
  double of(int rank) const { return awake_s_ - heard_s_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<double> heard_s_;  ///< by rank, of awake_s_
  double awake_s_ = 0;
  double last_s_ = -1;  ///< < 0: not called yet
};

}  // namespace tessera::comm
