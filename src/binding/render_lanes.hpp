// The open devices of this rank for rendering, with one lane for each worker thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "binding/rank_devices.hpp"
#include "comm/world.hpp"

namespace tessera::binding {

class Lanes {
 public:
  /// Opens `chosen`. A device that lacks memory for its first lane is out of the run if there is
  /// another one. Otherwise throws DeviceError for it, and the errors of device::open_devices().
  Lanes(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world);
  ~Lanes() { devices_.end_opening(); }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// With those of a device that is not open yet, which are null.
  int count() const { return static_cast<int>(lanes_.size()); }
  /// The lanes that work, without those in reserve and those of a device that is not open yet.
  int working() const;
  /// Those that work or will work: with --isolate on, a GPU of `auto` and the cores.
  int max_working() const;
  device::Lane& operator[](int lane) { return *lanes_[static_cast<std::size_t>(lane)].lane; }
  const device::Device& device_of(int lane) const {
    return devices_[lanes_[static_cast<std::size_t>(lane)].device];
  }
  /// Whether one of the open devices works efficiently on whole tiles only, not on a few pixels at
  /// a time.
  bool want_whole_tiles() const;
  /// Whether no core renders, also before a GPU joins.
  bool are_of_gpus() const;
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
  int open_late_lanes(int device);
  std::unique_ptr<device::Lane> open_lane(int device) const;

  job::RunSpec run_;
  RankDevices devices_;
  std::vector<OpenLane> lanes_;
};

}  // namespace tessera::binding
