// Of two ways to do the same work, the faster one, by what they have been seen to take. Pure: knows
// no clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace tessera::plan {

class FasterWay {
 public:
  /// 0 or 1: the way that is to be gone next. Each is tried first, and the slower one again now and
  /// then, since what makes it slow may pass: data that were not in memory at first.
  std::size_t next() {
    if (!cost_[0]) return 0;
    if (!cost_[1]) return 1;
    const std::size_t better = *cost_[1] < *cost_[0] ? 1 : 0;
    if (++turns_ % kTurnsBetweenTrials != 0) return better;
    return 1 - better;
  }

  /// `cost` in seconds for a fixed amount of work; infinite where the way is closed. A way that is
  /// held up once by something else does not lose its name: costs fall at once and rise slowly.
  void took(std::size_t way, double cost) {
    std::optional<double>& known = cost_.at(way);
    if (!known || !(cost > *known)) {
      known = cost;
    } else {
      *known += (std::min(cost, 2 * *known) - *known) / kSlowness;
    }
  }

 private:
  static constexpr std::size_t kTurnsBetweenTrials = 32;
  static constexpr double kSlowness = 4;

  std::array<std::optional<double>, 2> cost_;
  std::size_t turns_ = 0;
};

}  // namespace tessera::plan
