// The base of all work on devices: maps lanes to devices, and drops a device that fails.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "binding/rank_devices.hpp"
#include "farm/work.hpp"

namespace tessera::binding {

class DeviceWork : public farm::Work {
 public:
  int lanes() const override { return static_cast<int>(device_of_.size()); }
  int device_of_lane(int lane) const override { return device_of_[static_cast<std::size_t>(lane)]; }
  int late_device() const override { return devices_.late(); }
  int joined() const override { return devices_.joined(); }
  bool lane_lost(int lane) const override {
    const int device = device_of_lane(lane);
    return devices_.lost(device) ||
           number_[static_cast<std::size_t>(lane)] >= devices_.max_lanes(device);
  }
  double power_w() const override { return devices_.power_w(); }
  std::string lose_lane(int lane, const std::string& why) override {
    return devices_.lose(device_of_lane(lane), why);
  }

 protected:
  explicit DeviceWork(RankDevices& devices) : devices_(devices) {}
  /// One worker for each of `lanes`, whose member `device` is an index into the rank's devices.
  /// Called by the constructor of the derived class.
  template <class LaneList>
  void set_lanes(const LaneList& lanes) {
    for (const auto& lane : lanes) {
      number_.push_back(static_cast<int>(std::ranges::count(device_of_, lane.device)));
      device_of_.push_back(lane.device);
    }
  }

  RankDevices& devices_;

 private:
  std::vector<int> device_of_;
  std::vector<int> number_;  ///< number of the lane among those of its device
};

}  // namespace tessera::binding
