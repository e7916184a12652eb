// Tracks how long each rank has been silent. Pure: times are passed in.
#pragma once

#include <vector>

namespace tessera::comm {

/// Counts only the time in which this process runs. After it was stopped for a while, or its
/// machine slept, it takes no rank for silent because of that.
class TimeSinceHeard {
 public:
  explicit TimeSinceHeard(int ranks) : heard_s_(static_cast<std::size_t>(ranks)) {}

  void heard(int rank) { heard_s_[static_cast<std::size_t>(rank)] = awake_s_; }
  /// Called every `tick_s`, or later if this process was delayed.
  void pass(double now_s, double tick_s);
  /// Seconds since `rank` was last heard of; since the start if it never was.
  double of(int rank) const { return awake_s_ - heard_s_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<double> heard_s_;  ///< by rank: value of awake_s_ when it was last heard of
  double awake_s_ = 0;
  double last_s_ = -1;  ///< < 0: not called yet
};

}  // namespace tessera::comm
