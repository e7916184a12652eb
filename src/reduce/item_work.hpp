// The work of a reduction, of slices or along axes: the result of an item is one message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "binding/device_work.hpp"
#include "device/device_error.hpp"
#include "farm/grace_period.hpp"

namespace tessera::reduce {

/// Time that `lanes` spent reading.
template <class LaneList>
double total_read_s(const LaneList& lanes) {
  double read_s = 0;
  for (const auto& lane : lanes) read_s += lane.read_s;
  return read_s;
}

/// The memory of the devices of `lanes`, see binding::device_memory().
template <class LaneList>
std::vector<report::DeviceMemory> memory_of(const binding::RankDevices& devices,
                                            const LaneList& lanes) {
  return binding::device_memory(devices, lanes,
                                [](const auto& lane) { return lane.reducer->peak_memory_bytes(); });
}

class ItemWork : public binding::DeviceWork {
 public:
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int) override {
    return std::make_unique<farm::OnePartTask>(
        item, [this](std::int64_t given, int lane) { return reduce_or_repeat(given, lane); });
  }

  bool tries_devices() const override { return tries_devices_; }
  void try_devices(bool requested) { tries_devices_ = requested; }

  virtual std::int64_t items() const = 0;
  /// Returns the message to ItemSink: the number of elements of the item, then its result. Returns
  /// nothing if the run was asked to stop and the grace period ended before the item was done.
  virtual std::optional<base::Bytes> reduce(std::int64_t item, int lane) = 0;
  /// The report of this rank, after the farm has ended, with the farm's `threads`. It lacks the
  /// counts of items and elements, which the gather rank adds.
  report::RankReport report(std::vector<report::ThreadReport> threads) const {
    return {.device = devices_.names(),
            .threads = std::move(threads),
            .read_s = read_s(),
            .lost = devices_.losses(),
            .restarted = devices_.restarts(),
            .openings = devices_.openings(),
            .device_memory = device_memory()};
  }

 protected:
  using DeviceWork::DeviceWork;
  /// The reducer of the lane, for an item that failed: as ElementReducer::restart().
  virtual bool restart(int lane) = 0;
  /// As binding::device_memory(); none for work that only cores do.
  virtual std::vector<report::DeviceMemory> device_memory() const { return {}; }
  /// Time spent reading, of all lanes.
  virtual double read_s() const = 0;

  farm::GracePeriod grace_;

 private:
  /// Repeats the item once in a new process. An item with which two processes ended is probably the
  /// cause.
  std::optional<base::Bytes> reduce_or_repeat(std::int64_t item, int lane) {
    try {
      return reduce(item, lane);
    } catch (const device::DeviceError&) {
      if (!restart(lane)) throw;
    }
    return reduce(item, lane);
  }

  bool tries_devices_ = false;
};

}  // namespace tessera::reduce
