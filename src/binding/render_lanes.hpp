// The devices that this rank drives, opened, one lane for each worker thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binding/rank_devices.hpp"
#include "comm/world.hpp"

namespace tessera::binding {

class Lanes {
 public:
  /// The list names what choose_devices() chose. Throws as device::open_devices does, and
  /// DeviceError for a device that has no room for a single lane.
  Lanes(std::string_view device_list, const job::RunSpec& run, const comm::World& world);

  int count() const { return static_cast<int>(lanes_.size()); }
  device::Lane& operator[](int lane) { return *lanes_[static_cast<std::size_t>(lane)].lane; }
  const device::Device& device_of(int lane) const {
    return devices_[lanes_[static_cast<std::size_t>(lane)].device];
  }
  /// Whether one of the devices is best given whole tiles, not a few pixels at a time.
  bool want_whole_tiles() const;
  const job::RunSpec& run() const { return run_; }
  RankDevices& devices() { return devices_; }
  const RankDevices& devices() const { return devices_; }

  struct OpenLane {
    std::unique_ptr<device::Lane> lane;
    int device = 0;  ///< position in the list of devices
  };
  std::span<const OpenLane> all() const { return lanes_; }

 private:
  void open_lanes(int device);

  job::RunSpec run_;
  RankDevices devices_;
  std::vector<OpenLane> lanes_;
};

}  // namespace tessera::binding
