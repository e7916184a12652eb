// The open devices of this rank, and a record of those that have failed.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "device/select/registry.hpp"
#include "job/run_spec.hpp"
#include "report/timings.hpp"

namespace tessera::binding {

device::Placement place_of(const comm::World& world, int threads);
/// Without a callback for the restart of a process.
device::Isolation isolation_of(const job::RunSpec& run);

class RankDevices {
 public:
  /// Opens `device_list`, a result of choose_devices(). `items`: the plural of the work items for
  /// messages, such as "tiles". Throws the errors of device::open_devices().
  RankDevices(std::string_view device_list, const job::RunSpec& run, const comm::World& world,
              std::string items);
  RankDevices(const RankDevices&) = delete;
  RankDevices& operator=(const RankDevices&) = delete;

  int count() const { return static_cast<int>(devices_.size()); }
  const device::Device& operator[](int device) const { return *at(device).device; }
  /// "cpu" or "cuda:0+cpu".
  std::string names() const;

  /// Whether the device has been taken out of the run. Thread-safe.
  bool lost(int device) const { return at(device).lost; }
  /// Takes the device out of the run because of `why`. The first call for a device prints a line on
  /// stderr. Returns "DEVICE: why". Thread-safe.
  std::string lose(int device, const std::string& why);
  /// The devices that are out of the run, with the causes, in order of time.
  std::vector<report::LostDevice> losses() const;
  /// The devices whose process ended and was restarted, with the causes, in order of time.
  std::vector<report::LostDevice> restarts() const;

 private:
  struct OpenDevice {
    std::unique_ptr<device::Device> device;
    std::atomic<bool> lost = false;
  };
  const OpenDevice& at(int device) const { return devices_[static_cast<std::size_t>(device)]; }

  void note_restart(const std::string& device, const std::string& why);

  std::string place_;  ///< "rank 1 on HOST"
  std::string items_;
  bool alone_ = true;         ///< no other rank can continue if this one fails
  mutable std::mutex mutex_;  ///< guards the next two
  std::vector<report::LostDevice> losses_;
  std::vector<report::LostDevice> restarts_;
  std::deque<OpenDevice> devices_;  ///< a deque, since its elements must not move
};

}  // namespace tessera::binding
