#include "reduce/axes/axis_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "binding/lane_budget.hpp"

namespace tessera::reduce {
namespace {

class AxisLaneOpener {
 public:
  AxisLaneOpener(const AxisReduction& task, const binding::RankDevices& devices)
      : task_(task), devices_(devices) {}

  std::vector<AxisLane> open() {
    binding::open_in_rounds(devices_.count(),
                            [this](int device, int round) { return open_one(device, round); });
    if (lanes_.empty()) refuse();
    return std::move(lanes_);
  }

 private:
  /// Lane number `round` of the device; false if it has no more.
  bool open_one(int device, int round) {
    if (round >= devices_[device].lanes()) return false;
    AxisLane lane{.device = device, .reducer = open_reducer(device, round > 0)};
    if (!lane.reducer) return false;
    const job::ArrayInput& input = task_.job->inputs.front();
    if (lane.reducer->generates(input)) lane.generated = &input;
    const std::uint64_t batch = lane.generated != nullptr ? 0 : batch_bytes(*lane.reducer);
    const std::uint64_t needed = task_.lane_bytes() + batch;
    least_bytes_ = std::min(least_bytes_, needed);
    if (binding::kProgramBytes + used_bytes_ + needed > task_.job->memory_bytes) return false;
    used_bytes_ += needed;
    if (batch > 0) lane.batch = lane.reducer->make_host_buffer(batch);
    lane.reader = std::make_unique<PieceReader>(*task_.source);
    lanes_.push_back(std::move(lane));
    return true;
  }

  /// Null where there is no room for one more.
  std::unique_ptr<device::AxisReducer> open_reducer(int device, bool one_more) const {
    const std::string& name = devices_[device].info().name;
    try {
      auto reducer = devices_[device].open_axis_reducer(task_.output_spec);
      if (!reducer) throw base::usage_error("--device {}: does not reduce along axes", name);
      // What a device has no room for should be known now, and not in the middle of the run.
      if (reducer->batch_bytes() > 0) reducer->begin(task_.plan.most_outputs());
      return reducer;
    } catch (const device::DeviceError& error) {
      if (one_more) return nullptr;
      throw device::DeviceError(fmt::format("{}: {}", name, error.what()));
    }
  }

  /// As much as the device likes, but no more than a slice, and no less than a piece.
  std::uint64_t batch_bytes(const device::AxisReducer& reducer) const {
    if (reducer.batch_bytes() == 0) return 0;
    const auto piece = static_cast<std::uint64_t>(task_.plan.most_elements()) *
                       base::element_bytes(task_.output_spec.spec.type);
    return std::max(piece, std::min<std::uint64_t>(reducer.batch_bytes(), task_.job->slice_bytes));
  }

  [[noreturn]] void refuse() const {
    const auto [given, needed] =
        base::format_different_bytes(static_cast<double>(task_.job->memory_bytes),
                                     static_cast<double>(binding::kProgramBytes + least_bytes_));
    throw base::usage_error("--memory {}: with --axis, one thread needs {}; give at least that",
                            given, needed);
  }

  const AxisReduction& task_;
  const binding::RankDevices& devices_;
  std::vector<AxisLane> lanes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t least_bytes_ = std::numeric_limits<std::uint64_t>::max();  ///< that a lane needs
};

}  // namespace

std::vector<AxisLane> open_axis_lanes(const AxisReduction& task,
                                      const binding::RankDevices& devices) {
  return AxisLaneOpener(task, devices).open();
}

}  // namespace tessera::reduce
