// The time that begun work has to finish once a rank is asked to stop.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.hpp"
#include "base/run.hpp"

namespace tessera::farm {

/// Two seconds. Any thread may call.
class GracePeriod {
 public:
  /// The first call counts.
  void start() {
    base::Clock::rep none = 0;
    start_.compare_exchange_strong(none, base::Clock::now().time_since_epoch().count());
  }
  bool over() const {
    const base::Clock::rep start = start_;
    const base::Clock::rep now = base::Clock::now().time_since_epoch().count();
    return start != 0 && base::Clock::duration(now - start) > kTime;
  }
  /// For items that may take longer than the rank has left: asked between two pieces of an item.
  /// The time starts with the first call that finds a stop request.
  bool over_after_stop_request() {
    if (!base::stop_requested()) return false;
    start();
    return over();
  }

 private:
  static constexpr std::chrono::seconds kTime{2};
  std::atomic<base::Clock::rep> start_ = 0;
};

}  // namespace tessera::farm
