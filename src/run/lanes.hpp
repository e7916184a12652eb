// The devices that this rank drives, opened, one lane for each worker thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "device/registry.hpp"
#include "report/timings.hpp"

namespace tessera::run {

device::Placement place_of(const comm::World& world, int threads);

class Lanes {
 public:
  /// The list names what choose_devices() chose. Throws as device::open_devices does, and
  /// DeviceError for a device that has no room for a single lane.
  Lanes(std::string_view device_list, int threads, const comm::World& world);

  int count() const { return static_cast<int>(lanes_.size()); }
  device::Lane& operator[](int lane) { return *lanes_[static_cast<std::size_t>(lane)].lane; }
  const device::Device& device_of(int lane) const { return *owner_of(lane).device; }
  /// Position of the lane's device in the list of devices.
  int device_number(int lane) const { return lanes_[static_cast<std::size_t>(lane)].device; }
  /// Whether one of the devices is best given whole tiles, not a few pixels at a time.
  bool want_whole_tiles() const;
  int threads() const { return threads_; }  ///< as asked for; 0 = all of the affinity mask
  int devices() const { return static_cast<int>(devices_.size()); }
  const device::DeviceInfo& info(int device) const {
    return devices_[static_cast<std::size_t>(device)].device->info();
  }
  /// "cpu" or "cuda:0+cpu".
  std::string names() const;

  /// Whether the lane's device is out of the run. Any thread may ask.
  bool lost(int lane) const { return owner_of(lane).lost; }
  /// Takes the lane's device out of the run because of `why`, and says so on stderr, once a device.
  /// Returns "DEVICE: why". Any thread may call it.
  std::string lose(int lane, const std::string& why);
  /// What is out of the run and why, in the order in which it happened.
  std::vector<report::LostDevice> losses() const;

 private:
  struct OpenDevice {
    std::unique_ptr<device::Device> device;
    std::atomic<bool> lost = false;
  };
  struct OpenLane {
    std::unique_ptr<device::Lane> lane;
    int device = 0;
  };
  void open_lanes(const device::Device& device);
  const OpenDevice& owner_of(int lane) const {
    return devices_[static_cast<std::size_t>(device_number(lane))];
  }

  std::string place_;  ///< "rank 1 on HOST"
  int threads_ = 0;
  bool alone_ = true;               ///< no other rank can go on when this one cannot
  std::deque<OpenDevice> devices_;  ///< whose elements stay where they are
  std::vector<OpenLane> lanes_;
  mutable std::mutex mutex_;  ///< guards losses_
  std::vector<report::LostDevice> losses_;
};

/// Lanes of all ranks together; collective.
int total_lanes(comm::World& world, int lanes);

}  // namespace tessera::run
