// What all work that runs on devices has in common: a device that fails is out of the run.
#pragma once

#include <string>

#include "binding/render_lanes.hpp"
#include "farm/work.hpp"

namespace tessera::binding {

class DeviceWork : public farm::Work {
 public:
  explicit DeviceWork(Lanes& lanes) : lanes_(lanes) {}

  int lanes() const override { return lanes_.count(); }
  int device_of_lane(int lane) const override { return lanes_.device_number(lane); }
  bool lane_lost(int lane) const override { return lanes_.lost(lane); }
  std::string lose_lane(int lane, const std::string& why) override {
    return lanes_.lose(lane, why);
  }

 protected:
  Lanes& lanes_;
};

}  // namespace tessera::binding
