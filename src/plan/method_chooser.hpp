// Chooses the faster of two ways to do the same work, by measured costs. Pure: reads no clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace tessera::plan {

class MethodChooser {
 public:
  /// The way to use next, 0 or 1. Each is tried first. The slower one is tried again now and then,
  /// because its cause may pass: data that were not yet in memory.
  std::size_t next() {
    if (!cost_[0]) return 0;
    if (!cost_[1]) return 1;
    const std::size_t better = *cost_[1] < *cost_[0] ? 1 : 0;
    if (++turns_ % kTurnsBetweenTrials != 0) return better;
    return 1 - better;
  }

  /// `cost`: seconds for a fixed amount of work; infinite if the way is unavailable. Costs fall at
  /// once and rise slowly, so one disturbance does not discredit a way.
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
