// How a rank that must stop ends its work.
#pragma once

#include <chrono>

#include "base/clock.hpp"
#include "farm/worker_pool.hpp"

namespace tessera::farm {

/// Lets items in progress finish, and drops them after kTime.
class LastTiles {
 public:
  explicit LastTiles(WorkerPool& pool) : pool_(pool) {}

  void begin() {
    pool_.take_back();
    pool_.close();
    until_ = base::Clock::now() + kTime;
  }
  void poll() {
    if (base::Clock::now() < until_) return;
    until_ = kNever;
    pool_.abandon();
  }

 private:
  static constexpr std::chrono::seconds kTime{2};
  static constexpr auto kNever = base::Clock::time_point::max();
  WorkerPool& pool_;
  base::Clock::time_point until_ = kNever;
};

}  // namespace tessera::farm
