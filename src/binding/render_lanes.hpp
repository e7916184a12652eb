// The devices that this rank drives, opened, one lane for each worker thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binding/drive.hpp"
#include "binding/rank_devices.hpp"
#include "comm/world.hpp"

namespace tessera::binding {

class Lanes {
 public:
  /// The list names what choose_devices() chose. Throws as device::open_devices does, and
  /// DeviceError for a device that has no room for a single lane.
  Lanes(std::string_view device_list, const Drive& drive, const comm::World& world);

  int count() const { return static_cast<int>(lanes_.size()); }
  device::Lane& operator[](int lane) { return *lanes_[static_cast<std::size_t>(lane)].lane; }
  const device::Device& device_of(int lane) const { return devices_[device_number(lane)]; }
  /// Position of the lane's device in the list of devices.
  int device_number(int lane) const { return lanes_[static_cast<std::size_t>(lane)].device; }
  /// Whether one of the devices is best given whole tiles, not a few pixels at a time.
  bool want_whole_tiles() const;
  const Drive& drive() const { return drive_; }
  int devices() const { return devices_.count(); }
  const device::DeviceInfo& info(int device) const { return devices_[device].info(); }
  /// "cpu" or "cuda:0+cpu".
  std::string names() const { return devices_.names(); }

  /// As RankDevices has it, of the lane's device.
  bool lost(int lane) const { return devices_.lost(device_number(lane)); }
  std::string lose(int lane, const std::string& why) {
    return devices_.lose(device_number(lane), why);
  }
  std::vector<report::LostDevice> losses() const { return devices_.losses(); }
  std::vector<report::LostDevice> restarts() const { return devices_.restarts(); }

 private:
  struct OpenLane {
    std::unique_ptr<device::Lane> lane;
    int device = 0;
  };
  void open_lanes(int device);

  Drive drive_;
  RankDevices devices_;
  std::vector<OpenLane> lanes_;
};

/// Lanes of all ranks together; collective.
int total_lanes(comm::World& world, int lanes);

}  // namespace tessera::binding
