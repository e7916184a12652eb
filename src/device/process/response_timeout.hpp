// How long a device may be silent. Pure.
#pragma once

#include <algorithm>
#include <atomic>

namespace tessera::device::process {

/// A device is given `silence_s` for nothing at all, and kFactor times what its largest launch so
/// far takes for each of its lanes, at the best speed that it has shown: whatever it is asked, it
/// may have to finish what others have asked before. Shared by threads.
class ResponseTimeout {
 public:
  static constexpr double kFactor = 10;
  /// No device with fp64 is slower (gpu/launch_pacer.hpp).
  static constexpr double kSlowestStepsPerSecond = 1e8;

  ResponseTimeout(double silence_s, int lanes)
      : silence_s_(silence_s), lanes_(std::max(lanes, 1)) {}

  /// A launch of so many steps of orbits at most.
  void launched(double steps) { raise(largest_steps_, steps); }
  /// So many were carried out. Overhead makes a speed too low, which only adds patience.
  void learn(double steps, double elapsed_s) {
    if (elapsed_s > 0) raise(best_steps_per_s_, steps / elapsed_s);
  }
  double allowed_s() const {
    const double speed = std::max(best_steps_per_s_ / lanes_, kSlowestStepsPerSecond);
    return silence_s_ + kFactor * largest_steps_ / speed;
  }

 private:
  static void raise(std::atomic<double>& value, double to) {
    double known = value;
    while (to > known && !value.compare_exchange_weak(known, to)) {
    }
  }

  double silence_s_;
  int lanes_;
  std::atomic<double> largest_steps_ = 0;
  std::atomic<double> best_steps_per_s_ = 0;
};

}  // namespace tessera::device::process
