// The open devices of this rank, and a record of those that have failed.
#pragma once

#include <atomic>
#include <climits>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "binding/meters.hpp"
#include "comm/world.hpp"
#include "device/host/cpu_threads.hpp"
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
  /// Drives the first device that needs a process, instead of a new one; may be null.
  std::shared_ptr<device::process::DriverProcess> process = {};
  /// A GPU joins those of the list once it is open.
  bool joins = false;
  /// That GPU; none = this rank, which is alone on its node, looks for it while it works.
  std::optional<device::DeviceInfo> late = {};
};

class RankDevices {
 public:
  /// Opens `chosen`. `items`: the plural of the work items for messages, such as "tiles". A device
  /// that fails while it is opened is out of the run if there is another one. Otherwise throws the
  /// errors of device::open_devices().
  RankDevices(ChosenDevices chosen, const job::RunSpec& run, const comm::World& world,
              std::string items);
  /// Ends an opening that is under way, see end_joining().
  ~RankDevices() { end_opening(); }
  RankDevices(const RankDevices&) = delete;
  RankDevices& operator=(const RankDevices&) = delete;

  /// From now on `meters`, which outlives this, reads the GPUs, also one that joins later.
  void meter_by(Meters& meters);
  /// As Meters::power_w().
  double power_w() const { return meters_ != nullptr ? meters_->power_w() : base::kNotTold; }
  /// Begins to look for the device that joins and to open it, in a thread of its own.
  void begin_opening();
  /// fill() opens lanes on the device that joins, in places that are there already, and returns
  /// their number; it may throw DeviceError. It is called in that thread before the device joins,
  /// or here if it has joined.
  void fill_late_lanes(std::function<int(int device)> fill);
  /// The places are about to go.
  void drop_late_lanes();
  /// The number of the device that joins, or has joined; -1 = none.
  int late() const { return late_; }
  /// The most lanes of that device.
  int late_lanes() const { return device::gpu_lanes(placement_); }
  /// How many devices have joined. Thread-safe.
  int joined() const { return joined_; }
  /// Whether the device is not open yet: there is no operator[] for it. Thread-safe.
  bool opening(int device) const { return at(device).opening; }
  /// Threads that the device that joins runs at once, if that is known, or becomes known in so many
  /// seconds; else 0.
  std::uint64_t late_threads(double within_s) const;
  /// Whether a device joins within so many seconds, or has joined, that computes f64 fast.
  bool has_fast_gpu(double within_s) const;
  /// The others wait in reserve, until the device that has joined is out of the run; or they do so
  /// no more. Not while work is in progress.
  void let_others_rest(bool rest);
  /// From now on no device joins. A process in which one is being opened is killed. `refusal`: why
  /// it is not requested; "" = the work is done.
  void end_joining(const std::string& refusal = "");
  /// The same, and waits for the thread, which is then about to end.
  void end_opening();

  /// Including the reserve and the device that joins.
  int count() const { return static_cast<int>(devices_.size()); }
  const device::Device& operator[](int device) const { return *at(device).device; }
  /// "cpu" or "cpu+cuda:0", without devices that are not open or wait in reserve.
  std::string names() const;

  /// Whether the device gets no work: it is out of the run, not open yet, or waits in reserve.
  /// Thread-safe.
  bool lost(int device) const { return failed(device) || opening(device) || in_reserve(device); }
  /// Lanes of a device that joined with fewer than there was room for. Thread-safe.
  int max_lanes(int device) const { return at(device).max_lanes; }
  /// Whether the device has been taken out of the run. Thread-safe.
  bool failed(int device) const { return at(device).failed; }
  /// Whether the device is used only when all others are out of the run, which has not happened.
  /// Thread-safe.
  bool in_reserve(int device) const { return at(device).in_reserve; }
  /// Takes the device out of the run because of `why`. The first call for a device logs a line. If
  /// it was the last one, the reserve gets its work. Returns "DEVICE: why". Thread-safe.
  std::string lose(int device, const std::string& why);
  /// Takes a device that failed before the work began out of the run. False, without a change, if
  /// it is the last one: that is an error of the command.
  bool drop(int device, const std::string& why);
  /// Returns open(), which opens lanes on the device, and adds its time to that of the opening.
  template <class OpenLane>
  auto timed_lane(int device, const OpenLane& open) const {
    return device::timed(at(device).lanes, device::OpeningPart::memory, open);
  }
  /// How the GPUs were opened.
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
    std::atomic<bool> opening = false;  ///< `device` belongs to the thread that opens it
    std::atomic<int> max_lanes = INT_MAX;
  };
  const OpenDevice& at(int device) const { return devices_[static_cast<std::size_t>(device)]; }

  using Open = std::function<std::unique_ptr<device::Device>(const std::string& name)>;
  void open_all(std::string_view list, const Open& open);
  void look_and_open(const std::stop_token& stop, ChosenDevices chosen);
  void meter(const OpenDevice& open) const;
  bool look_for_gpu(ChosenDevices& chosen, const device::Isolation& isolation);
  void settle(std::string outcome, const std::string& cause = "");
  int working() const;
  std::string print_loss(const std::string& name, const std::string& why);
  void note_restart(const std::string& device, const std::string& why);

  std::string place_;  ///< "rank 1 on HOST"
  std::string items_;
  base::Clock::time_point origin_;
  device::Placement placement_;
  device::Isolation isolation_;
  bool quiet_;
  bool alone_ = true;         ///< no other rank can continue if this one fails
  mutable std::mutex mutex_;  ///< guards the next members
  std::vector<report::LostDevice> losses_;
  std::vector<report::LostDevice> restarts_;
  std::optional<report::DeviceOpening> late_opening_;  ///< once it has an outcome
  std::optional<device::DeviceInfo> late_info_;        ///< once it is known
  Meters* meters_ = nullptr;                           ///< null: nobody wants to know
  mutable std::condition_variable late_known_;
  std::deque<OpenDevice> devices_;  ///< a deque, since its elements must not move
  int late_ = -1;
  std::atomic<int> joined_ = 0;
  ChosenDevices chosen_late_;
  std::mutex fill_mutex_;  ///< guards fill_; taken before mutex_
  std::function<int(int device)> fill_;
  std::jthread opener_;
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
