// Decides when a rank that must stop abandons the items that it has begun.
#pragma once

#include <atomic>

#include "base/clock.hpp"
#include "base/stop_request.hpp"

namespace tessera::farm {

/// For items that may take longer than the remaining time of a rank. Any thread may ask between two
/// pieces of an item.
class DropInHand {
 public:
  /// True from two seconds after the first call that found a stop request, as in the farm.
  bool now() {
    if (!base::stop_requested()) return false;
    const auto time = base::Clock::now().time_since_epoch().count();
    base::Clock::rep first = 0;
    if (asked_.compare_exchange_strong(first, time)) return false;
    return base::Clock::duration(time - first) > std::chrono::seconds(2);
  }

 private:
  std::atomic<base::Clock::rep> asked_ = 0;
};

}  // namespace tessera::farm
