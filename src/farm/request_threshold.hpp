// When a rank requests more items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace tessera::farm {

/// Number of queued items that keep the workers busy until the answer arrives: two per lane, or the
/// number finished within kAheadSeconds if that is larger.
class RequestThreshold {
 public:
  std::size_t items(int lanes, std::uint64_t completed) {
    const auto now = base::Clock::now();
    const double elapsed_s = base::seconds_between(since_, now);
    if (elapsed_s >= kAheadSeconds) {
      recent_ = static_cast<std::size_t>(static_cast<double>(completed - completed_) / elapsed_s *
                                         kAheadSeconds);
      completed_ = completed;
      since_ = now;
    }
    return lanes == 0 ? 0 : std::max(2 * static_cast<std::size_t>(lanes), recent_);
  }

 private:
  /// A rank requests more items when its queue holds less work than for this time.
  static constexpr double kAheadSeconds = 0.02;
  std::size_t recent_ = 0;
  std::uint64_t completed_ = 0;
  base::Clock::time_point since_ = base::Clock::now();
};

}  // namespace tessera::farm
