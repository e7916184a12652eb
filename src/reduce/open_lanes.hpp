// Opens the lanes of a reduction, of whole arrays or along axes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "binding/lane_budget.hpp"
#include "binding/rank_devices.hpp"
#include "job/memory.hpp"

namespace tessera::reduce {

/// The part of --memory that lanes share.
class LaneBudget {
 public:
  /// `others_bytes`: the part that others use.
  explicit LaneBudget(std::uint64_t memory_bytes, std::uint64_t others_bytes = 0)
      : memory_bytes_(memory_bytes), others_bytes_(others_bytes) {}

  /// False if fewer bytes are left.
  bool take(std::uint64_t bytes);
  std::uint64_t left_bytes() const { return memory_bytes_ - unavailable() - used_bytes_; }
  /// The smallest number of bytes that a lane asked for.
  std::uint64_t min_bytes() const { return min_bytes_; }
  /// What this --memory would have to be for a lane.
  std::uint64_t needed_bytes() const { return unavailable() + min_bytes_; }
  /// --memory, and the least one with which a lane can be opened, needed_bytes() unless given. The
  /// texts differ.
  std::pair<std::string, std::string> given_and_needed(std::uint64_t needed = 0) const;

 private:
  std::uint64_t unavailable() const { return job::kProgramBytes + others_bytes_; }

  std::uint64_t memory_bytes_;
  std::uint64_t others_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t min_bytes_ = std::numeric_limits<std::uint64_t>::max();
};

/// Bytes of a batch for a device that prefers `preferred` bytes: at most a slice and at least a
/// piece; 0 if it takes pieces one by one.
std::uint64_t batch_bytes(std::size_t preferred, std::uint64_t piece_bytes,
                          std::uint64_t slice_bytes);

/// Returns open(device), or null if the device lacks memory for `one_more`. Throws a usage error
/// with the text `refusal` if the device has no such reducer, and DeviceError if it lacks memory
/// for a first one.
template <class Open>
auto open_reducer(const device::Device& device, bool one_more, std::string_view refusal,
                  const Open& open) -> decltype(open(device)) {
  const std::string& name = device.info().name;
  try {
    auto reducer = open(device);
    if (!reducer) throw base::usage_error("--device {}: {}", name, refusal);
    return reducer;
  } catch (const device::DeviceError& error) {
    if (one_more) return nullptr;
    throw device::DeviceError(fmt::format("{}: {}", name, error.what()));
  }
}

/// Opens as many lanes as the devices have, one of each device before a second of any. A lost
/// device has one lane without a reducer, and one that is not open yet has places for lanes.
/// equip(lane) gives memory to a lane and returns false if
/// there is none. Throws as open_reducer() does.
template <class Lane, class Open, class Equip>
std::vector<Lane> open_lanes(const binding::RankDevices& devices, std::string_view refusal,
                             const Open& open, const Equip& equip) {
  std::vector<Lane> lanes;
  binding::open_in_rounds(devices.count(), [&](int device, int round) {
    if (devices.opening(device)) {
      lanes.push_back({.device = device});
      return round + 1 < devices.late_lanes();
    }
    if (devices.failed(device)) {
      lanes.push_back({.device = device});
      return false;
    }
    if (round >= devices[device].lanes()) return false;
    Lane lane{.device = device, .reducer = devices.timed_lane(device, [&] {
                return open_reducer(devices[device], round > 0, refusal, open);
              })};
    if (!lane.reducer || !equip(lane)) return false;
    lanes.push_back(std::move(lane));
    return true;
  });
  return lanes;
}

}  // namespace tessera::reduce
