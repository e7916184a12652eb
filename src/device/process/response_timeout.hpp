// How long a device may be silent before its process is killed. Pure.
#pragma once

#include <algorithm>
#include <atomic>

namespace tessera::device::process {

/// The timeout is `silence_s` for an idle device, plus kFactor times the expected duration of the
/// largest launch so far, times the number of lanes, because work of other lanes may be ahead in
/// the queue. The expected duration uses the best speed measured so far. Shared by threads.
class ResponseTimeout {
 public:
  static constexpr double kFactor = 10;
  /// The speed of the slowest device with fp64 (gpu/pixels/launch_pacer.hpp).
  static constexpr double kSlowestStepsPerSecond = 1e8;

  ResponseTimeout(double silence_s, int lanes)
      : silence_s_(silence_s), lanes_(std::max(lanes, 1)) {}

  /// Notes a launch of at most `steps` steps of orbits.
  void launched(double steps) { raise(largest_steps_, steps); }
  /// Notes that `steps` were executed. The measured time contains overhead, so the speed is
  /// underestimated, which only makes the timeout longer.
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
