// When a rank asks for more to do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace tessera::farm {

/// How many queued items keep the workers busy until a grant comes back: two a lane, or as many as
/// were finished in the last kAheadSeconds.
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
  /// A rank asks for more when its queue holds less than this much time's work.
  static constexpr double kAheadSeconds = 0.02;
  std::size_t recent_ = 0;
  std::uint64_t completed_ = 0;
  base::Clock::time_point since_ = base::Clock::now();
};

}  // namespace tessera::farm
