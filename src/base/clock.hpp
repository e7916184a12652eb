// Time since the start of the run, and a stopwatch for the stage boundaries.
#pragma once

#include <chrono>

namespace tessera::base {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

inline Clock::time_point later(Clock::time_point from, double seconds) {
  return from + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Adds the time between construction and destruction to `total_s`.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_s) : total_s_(total_s), start_(Clock::now()) {}
  ~Stopwatch() { total_s_ += seconds_between(start_, Clock::now()); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_s_;
  Clock::time_point start_;
};

}  // namespace tessera::base
