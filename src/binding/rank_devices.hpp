// The devices that this rank drives, opened, and which of them have failed.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "binding/drive.hpp"
#include "comm/world.hpp"
#include "device/select/registry.hpp"
#include "report/timings.hpp"

namespace tessera::binding {

device::Placement place_of(const comm::World& world, int threads);
/// Of which nobody is told when a process is started again.
device::Isolation isolation_of(const Drive& drive);

class RankDevices {
 public:
  /// The list names what choose_devices() chose. `items`: what goes to the others when one fails,
  /// "tiles". Throws as device::open_devices does.
  RankDevices(std::string_view device_list, const Drive& drive, const comm::World& world,
              std::string items);
  RankDevices(const RankDevices&) = delete;
  RankDevices& operator=(const RankDevices&) = delete;

  int count() const { return static_cast<int>(devices_.size()); }
  const device::Device& operator[](int device) const { return *at(device).device; }
  /// "cpu" or "cuda:0+cpu".
  std::string names() const;

  /// Whether the device is out of the run. Any thread may ask.
  bool lost(int device) const { return at(device).lost; }
  /// Takes the device out of the run because of `why`, and says so on stderr, once a device.
  /// Returns "DEVICE: why". Any thread may call it.
  std::string lose(int device, const std::string& why);
  /// What is out of the run and why, in the order in which it happened.
  std::vector<report::LostDevice> losses() const;
  /// Whose process has ended and was started again, and why it ended, in the order in which it
  /// happened.
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
  bool alone_ = true;         ///< no other rank can go on when this one cannot
  mutable std::mutex mutex_;  ///< guards the next two
  std::vector<report::LostDevice> losses_;
  std::vector<report::LostDevice> restarts_;
  std::deque<OpenDevice> devices_;  ///< whose elements stay where they are
};

}  // namespace tessera::binding
