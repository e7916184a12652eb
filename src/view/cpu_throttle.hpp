// The processor time that the viewer takes from a run on the same machine.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace tessera::view {

/// Processor time of the calling thread, and of this process, in seconds.
double thread_seconds();
double process_seconds();
/// Numbers of the CPUs on which this process may run, in order. Empty if they are unknown.
std::vector<int> allowed_cpus();
/// Processor time that others have used on these CPUs, in seconds, by the text of /proc/stat.
/// Without the line of a CPU it is NaN.
double others_seconds(std::istream& statistics, const std::vector<int>& cpus, double ticks_per_s,
                      double own_s);

/// Bounds the work for images that are being written: at most 1 % of the processor time of the
/// CPUs, while other processes use them. nice(2) cannot do this: Linux applies it only to the
/// processes of one session (sched(7), autogroup). Any thread may use it.
class CpuThrottle {
 public:
  using Clock = base::Clock;
  /// A batch system gives this process and the run a few CPUs; the load of others does not matter.
  explicit CpuThrottle(const std::vector<int>& cpus = allowed_cpus());
  CpuThrottle(int cores, std::function<double()> others)
      : cores_(cores), others_(std::move(others)) {}

  /// Work of so many processor seconds, which ended at `now`.
  void take(double seconds, Clock::time_point now = Clock::now());
  /// How long to pause before more work: 0 while nobody else uses the cores.
  Clock::duration pause(Clock::time_point now = Clock::now());

 private:
  bool others_work(Clock::time_point now);

  int cores_;
  std::function<double()> others_;
  std::mutex mutex_;
  Clock::time_point measured_{};  ///< when others had used others_s_
  double others_s_ = 0;
  double others_cores_ = std::numeric_limits<double>::infinity();  ///< that others use
  Clock::time_point repaid_{};                                     ///< when the work so far is 1 %
};

/// Takes the time between its construction and destruction from a throttle, if there is one.
class ThrottledWork {
 public:
  explicit ThrottledWork(CpuThrottle* throttle)
      : throttle_(throttle), from_(throttle ? thread_seconds() : 0) {}
  ~ThrottledWork() {
    if (throttle_) throttle_->take(thread_seconds() - from_);
  }
  ThrottledWork(const ThrottledWork&) = delete;
  ThrottledWork& operator=(const ThrottledWork&) = delete;

 private:
  CpuThrottle* throttle_;
  double from_;
};

}  // namespace tessera::view
