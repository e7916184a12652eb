// Measures how fast a rank works through predicted cost. Pure: times are passed in.
#pragma once

#include <cstddef>

namespace tessera::plan {

/// Times are seconds on any monotonic clock; costs are in the schedule's unit.
class Pace {
 public:
  void grant(double cost, std::size_t items, double now_s);
  void give_back(double cost, std::size_t items, double now_s);
  /// One of its items is finished.
  void finish(double cost, double now_s);

  /// Cost per second of the time in which it had work; 0 before the first result. The time since
  /// its last result counts, so a stalled rank gets slower. The value is too small at first, when
  /// each lane has begun an item and few are finished.
  double speed(double now_s) const;
  double cost_in_hand() const { return in_hand_ > 0 ? cost_in_hand_ : 0; }
  std::size_t in_hand() const { return in_hand_; }
  /// Seconds for which it has had work and delivered nothing.
  double standing_s(double now_s) const { return in_hand_ > 0 ? now_s - moved_s_ : 0; }

 private:
  void pass_time(double now_s);
  void let_go(double cost, std::size_t items);

  double cost_in_hand_ = 0;
  std::size_t in_hand_ = 0;
  double last_s_ = 0;   ///< busy_s_ is counted up to this time
  double moved_s_ = 0;  ///< when it last delivered a result, or got work while it had none
  double busy_s_ = 0;
  double finished_cost_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace tessera::plan
