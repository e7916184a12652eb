// A GPU as a Device: its number of lanes, and how streams are opened.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/fault.hpp"
#include "device/gpu/gpu_axis_reducer.hpp"
#include "device/gpu/gpu_lane.hpp"
#include "device/gpu/gpu_reducer.hpp"

namespace tessera::device::gpu {

class GpuDevice : public Device {
 public:
  using OpenStream = std::function<std::unique_ptr<Stream>()>;
  using OpenArrayStream = std::function<std::unique_ptr<ArrayStream>()>;

  /// `lanes`: number of tiles, or of batches of elements, in flight. The functions that open a
  /// stream throw DeviceError if the device has too little memory.
  GpuDevice(DeviceInfo info, int lanes, OpenStream open_stream, OpenArrayStream open_array_stream)
      : info_(std::move(info)),
        lanes_(lanes),
        open_stream_(std::move(open_stream)),
        open_array_stream_(std::move(open_array_stream)),
        pacer_(std::make_shared<LaunchPacer>(info_.is_gpu ? LaunchPacer::kGpuStepsPerSecond
                                                          : LaunchPacer::kCpuStepsPerSecond)) {}

  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return lanes_; }
  int rows_per_call(std::int64_t) const override { return 0; }
  bool shuffles() const override { return true; }
  std::unique_ptr<Stream> open_stream() const { return open_stream_(); }
  std::unique_ptr<ArrayStream> open_array_stream() const { return open_array_stream_(); }
  std::unique_ptr<Lane> open_lane(const LaneOptions& options) const override {
    check_memory();
    return std::make_unique<GpuLane>(open_stream_(), pacer_, options);
  }
  /// A pixel for each thread that the GPU runs at once.
  int rows_to_help(std::int64_t tile_width_px) const override {
    const auto pixels = static_cast<std::int64_t>(std::max(info_.threads, kLeastThreads));
    return static_cast<int>((pixels + tile_width_px - 1) / tile_width_px);
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    check_memory();
    return std::make_unique<GpuReducer>(open_array_stream_(), spec);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    check_memory();
    return std::make_unique<GpuAxisReducer>(open_array_stream_(), output_spec);
  }

 private:
  static void check_memory() {
    if (base::fault("device.memory")) throw DeviceError("a fault point says that memory is full");
  }

  DeviceInfo info_;
  int lanes_;
  OpenStream open_stream_;
  OpenArrayStream open_array_stream_;
  /// Of a device that does not tell how many it runs.
  static constexpr std::uint64_t kLeastThreads = std::uint64_t{1} << 15;

  std::shared_ptr<LaunchPacer> pacer_;
};

/// Lanes of a GPU: one per CPU thread that deflates, plus kInFlight tiles on the GPU meanwhile.
constexpr int ring_lanes(int cpu_threads) {
  constexpr int kInFlight = 4;
  return cpu_threads + kInFlight;
}

}  // namespace tessera::device::gpu
