// The items that ranks have begun and not finished, for the progress of a few large ones.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "farm/work.hpp"
#include "plan/schedule.hpp"

namespace tessera::farm {

/// How often a rank tells what it has begun.
inline constexpr std::chrono::milliseconds kStartedInterval{500};

/// On the gather rank.
class StartedItems {
 public:
  void set(int rank, std::vector<ItemProgress> items) { ranks_[rank] = std::move(items); }
  /// The cost of what is done of unfinished items. Of an item that several ranks have, the rank
  /// that is ahead counts.
  double cost(const plan::Schedule& schedule) const {
    std::map<std::int64_t, float> most;
    for (const auto& [rank, items] : ranks_) {
      for (const auto& [item, done] : items) {
        if (!schedule.is_finished(item)) most[item] = std::max(most[item], done);
      }
    }
    double cost = 0;
    for (const auto& [item, done] : most) cost += schedule.cost(item) * static_cast<double>(done);
    return cost;
  }

 private:
  std::map<int, std::vector<ItemProgress>> ranks_;
};

/// True once in kStartedInterval.
class StartedTimer {
 public:
  bool due() {
    const auto now = base::Clock::now();
    if (now < next_) return false;
    next_ = now + kStartedInterval;
    return true;
  }

 private:
  base::Clock::time_point next_ = base::Clock::now() + kStartedInterval;
};

}  // namespace tessera::farm
