// How fast a rank works through predicted cost, measured while it does. Pure: times are passed in.
#pragma once

#include <cstddef>

namespace tessera::plan {

/// Times are seconds on any clock that does not go back; costs in the unit of the schedule's.
class Pace {
 public:
  void grant(double cost, std::size_t items, double now_s);
  void give_back(double cost, std::size_t items, double now_s);
  /// One of the items that it had.
  void finish(double cost, double now_s);

  /// Cost per second of the time in which it had work; 0 before the first result. What it has been
  /// at since its last result counts, so that a rank that stands still gets slower. Little at
  /// first, when each of its lanes has begun an item and few are finished.
  double speed(double now_s) const;
  double cost_in_hand() const { return in_hand_ > 0 ? cost_in_hand_ : 0; }
  std::size_t in_hand() const { return in_hand_; }
  /// For how long it has had work and delivered nothing.
  double standing_s(double now_s) const { return in_hand_ > 0 ? now_s - moved_s_ : 0; }

 private:
  void pass_time(double now_s);
  void let_go(double cost, std::size_t items);

  double cost_in_hand_ = 0;
  std::size_t in_hand_ = 0;
  double last_s_ = 0;   ///< busy_s_ is counted up to then
  double moved_s_ = 0;  ///< when it last delivered, or got work when it had none
  double busy_s_ = 0;
  double finished_cost_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace tessera::plan
