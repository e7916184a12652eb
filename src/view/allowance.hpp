// The processor time that the viewer takes from a run on the same machine.
#pragma once

#include <chrono>
#include <mutex>

#include "base/clock.hpp"

namespace tessera::view {

/// What a thread has used since it started, in seconds.
struct ThreadTime {
  double running = 0;
  double waiting = 0;  ///< for a core that others had
};

/// Of the calling thread. Without /proc/thread-self/schedstat it waits all the time.
ThreadTime thread_time();

/// Bounds the work for images that are being written: at most 1 % of the processor time of all
/// cores, while other threads want them. nice(2) cannot do this: Linux applies it only to the
/// processes of one session (sched(7), autogroup). Any thread may use it.
class Allowance {
 public:
  using Clock = base::Clock;
  explicit Allowance(int cores) : cores_(cores) {}

  /// Work between two readings of thread_time(), which ended at `now`.
  void take(const ThreadTime& from, const ThreadTime& to, Clock::time_point now = Clock::now());
  /// How long to pause before more work: 0 while nobody else wants the cores.
  Clock::duration pause(Clock::time_point now = Clock::now()) const;

 private:
  int cores_;
  mutable std::mutex mutex_;
  ThreadTime recent_;           ///< of the last work
  Clock::time_point repaid_{};  ///< when the work so far is 1 %
};

/// Takes the time between its construction and destruction from an allowance, if there is one.
class AllowedWork {
 public:
  explicit AllowedWork(Allowance* allowance) : allowance_(allowance) {
    if (allowance_) from_ = thread_time();
  }
  ~AllowedWork() {
    if (allowance_) allowance_->take(from_, thread_time());
  }
  AllowedWork(const AllowedWork&) = delete;
  AllowedWork& operator=(const AllowedWork&) = delete;

 private:
  Allowance* allowance_;
  ThreadTime from_;
};

}  // namespace tessera::view
