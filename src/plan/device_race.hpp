// Which devices of one rank should begin another item of its queue. Pure: times are passed in.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/pace.hpp"

namespace tessera::plan {

/// Items count alike here: of those that a rank has at one time the costs are alike too.
class DeviceRace {
 public:
  explicit DeviceRace(int devices) : paces_(static_cast<std::size_t>(devices)) {}

  void begin(int device, double now_s) { at(device).grant(1, 1, now_s); }
  void finish(int device, double now_s) { at(device).finish(1, now_s); }
  void put_back(int device, double now_s) { at(device).give_back(1, 1, now_s); }
  /// The device failed: nobody waits for it any more.
  void lose(int device) { at(device) = {}; }

  /// Whether `device` would be done with one more item before the others are with theirs and the
  /// `queued`, or before all ranks are with everything, which is expected at `end_s`. True as long
  /// as there is no measure of it or of any other, and for the one that would do it soonest.
  bool in_time(int device, std::size_t queued, double end_s, double now_s) const;

 private:
  Pace& at(int device) { return paces_[static_cast<std::size_t>(device)]; }

  std::vector<Pace> paces_;
};

}  // namespace tessera::plan
