// The open devices of this rank, and a record of those that have failed.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
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

device::Placement place_of(const comm::World& world, const job::RunSpec& run);
/// Without a callback for the restart of a process.
device::Isolation isolation_of(const job::RunSpec& run);

/// The devices of a rank, a result of choose_devices().
struct ChosenDevices {
  std::string list;  ///< "cuda:1", "cpu"
  /// The device to which the work goes when all of the list have failed; "" = none.
  std::string reserve = {};
  /// Drives the first of the list that needs a process, instead of a new one; may be null.
  std::shared_ptr<device::process::DriverProcess> process = {};
};

class RankDevices {
 public:
  /// Opens `chosen`. `items`: the plural of the work items for messages, such as "tiles". A device
  /// that fails while it is opened is out of the run if there is another one. Otherwise throws the
  /// errors of device::open_devices().
  RankDevices(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world,
              std::string items);
  RankDevices(const RankDevices&) = delete;
  RankDevices& operator=(const RankDevices&) = delete;

  /// Including the reserve, which comes last.
  int count() const { return static_cast<int>(devices_.size()); }
  const device::Device& operator[](int device) const { return *at(device).device; }
  /// "cpu" or "cuda:0+cpu", without a reserve that waits.
  std::string names() const;

  /// Whether the device gets no work: it is out of the run, or waits in reserve. Thread-safe.
  bool lost(int device) const { return failed(device) || in_reserve(device); }
  /// Whether the device has been taken out of the run. Thread-safe.
  bool failed(int device) const { return at(device).failed; }
  /// Whether the device is used only when all others are out of the run, which has not happened.
  /// Thread-safe.
  bool in_reserve(int device) const { return at(device).in_reserve; }
  /// Takes the device out of the run because of `why`. The first call for a device prints a line on
  /// stderr. If it was the last one, the reserve gets its work. Returns "DEVICE: why". Thread-safe.
  std::string lose(int device, const std::string& why);
  /// Takes a device that failed before the work began out of the run. False, without a change, if
  /// it is the last one: that is an error of the command.
  bool drop(int device, const std::string& why);
  /// Returns open(), which opens lanes on the device, and adds its time to that of the opening.
  template <class OpenLane>
  auto timed_lane(int device, const OpenLane& open) const {
    return device::timed(at(device).lanes, device::OpeningPart::memory, open);
  }
  /// How the GPUs that work were opened.
  std::vector<report::DeviceOpening> openings() const;
  /// The devices that are out of the run, with the causes, in order of time.
  std::vector<report::LostDevice> losses() const;
  /// The devices whose process ended and was restarted, with the causes, in order of time.
  std::vector<report::LostDevice> restarts() const;

 private:
  struct OpenDevice {
    std::unique_ptr<device::Device> device;
    mutable device::Opening lanes;  ///< the times of their opening
    std::atomic<bool> failed = false;
    std::atomic<bool> in_reserve = false;
  };
  const OpenDevice& at(int device) const { return devices_[static_cast<std::size_t>(device)]; }

  using Open = std::function<std::unique_ptr<device::Device>(const std::string& name)>;
  void open_all(std::string_view list, const Open& open);
  int working() const;
  std::string print_loss(const std::string& name, const std::string& why);
  void note_restart(const std::string& device, const std::string& why);

  std::string place_;  ///< "rank 1 on HOST"
  std::string items_;
  base::Clock::time_point origin_;
  bool alone_ = true;         ///< no other rank can continue if this one fails
  mutable std::mutex mutex_;  ///< guards the next two
  std::vector<report::LostDevice> losses_;
  std::vector<report::LostDevice> restarts_;
  std::deque<OpenDevice> devices_;  ///< a deque, since its elements must not move
};

/// The memory that those of the devices which still work have used of their own. peak_of(lane) is
/// that of the lane's device.
template <class LaneList, class PeakOf>
std::vector<report::DeviceMemory> device_memory(const RankDevices& devices, const LaneList& lanes,
                                                const PeakOf& peak_of) {
  std::vector<report::DeviceMemory> used;
  std::vector<bool> asked(static_cast<std::size_t>(devices.count()));
  for (const auto& lane : lanes) {
    const auto device = static_cast<std::size_t>(lane.device);
    if (devices.lost(lane.device) || asked[device]) continue;
    asked[device] = true;
    const std::uint64_t peak_bytes = peak_of(lane);
    if (peak_bytes > 0) used.push_back({devices[lane.device].info().name, peak_bytes});
  }
  return used;
}

}  // namespace tessera::binding
