// Decides which devices of one rank should begin another item of its queue. Pure: times are passed
// in.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/pace.hpp"

namespace tessera::plan {

/// Counts all items alike, because the items that a rank holds at one time have similar costs.
class DeviceRace {
 public:
  explicit DeviceRace(int devices) : paces_(static_cast<std::size_t>(devices)) {}

  void begin(int device, double now_s) { at(device).grant(1, 1, now_s); }
  void finish(int device, double now_s) { at(device).finish(1, now_s); }
  void put_back(int device, double now_s) { at(device).give_back(1, 1, now_s); }
  /// The device failed; its items are no longer expected.
  void lose(int device) { at(device) = {}; }

  /// True if `device` would finish one more item before the others finish their own and the
  /// `queued` ones, or before all ranks finish everything, which is expected at `end_s`. Also true
  /// while it or every other device is unmeasured, and for the device that would finish the item
  /// first.
  bool in_time(int device, std::size_t queued, double end_s, double now_s) const;

 private:
  Pace& at(int device) { return paces_[static_cast<std::size_t>(device)]; }

  std::vector<Pace> paces_;
};

}  // namespace tessera::plan
