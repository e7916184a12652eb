// A GPU as a Device: its number of lanes, and how streams are opened.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/fault.hpp"
#include "deep/prepared.hpp"
#include "device/gpu/arrays/axes/gpu_axis_reducer.hpp"
#include "device/gpu/arrays/elements/gpu_mapper.hpp"
#include "device/gpu/arrays/elements/gpu_reducer.hpp"
#include "device/gpu/arrays/groups/gpu_group_reducer.hpp"
#include "device/gpu/pixels/deep_upload.hpp"
#include "device/gpu/pixels/gpu_lane.hpp"
#include "device/gpu/queue/memory_budget.hpp"
#include "device/pixels/deep_block.hpp"

namespace tessera::device::gpu {

class GpuDevice : public Device {
 public:
  using OpenStream = std::function<std::unique_ptr<Stream>()>;
  using OpenArrayStream = std::function<std::unique_ptr<ArrayStream>()>;
  using OpenMeter = std::function<std::unique_ptr<base::Meter>()>;

  /// `lanes`: most tiles, or batches of elements, in flight. `memory_bytes`: most memory of the
  /// device that its streams may use together; 0 = no limit. The functions that open a stream throw
  /// DeviceError if the device has too little memory. `opening`: what it took so far. Without
  /// `open_meter`, the device tells nothing about itself.
  GpuDevice(DeviceInfo info, int lanes, std::uint64_t memory_bytes, OpenStream open_stream,
            OpenArrayStream open_array_stream, Opening opening = {}, OpenMeter open_meter = {})
      : info_(std::move(info)),
        memory_(divide_memory(memory_bytes, lanes)),
        open_stream_(std::move(open_stream)),
        open_array_stream_(std::move(open_array_stream)),
        opening_(std::move(opening)),
        open_meter_(std::move(open_meter)),
        shared_(std::make_shared<SharedByLanes>(info_.is_gpu ? LaunchPacer::kGpuStepsPerSecond
                                                             : LaunchPacer::kCpuStepsPerSecond)) {
    shared_->memory = memory_;
  }

  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return memory_.lanes; }
  Opening opening() const override { return opening_; }
  std::unique_ptr<base::Meter> open_meter() const override {
    return open_meter_ && !info_.pci.empty() ? open_meter_() : nullptr;
  }
  std::uint64_t lane_memory_bytes(const job::ImageSpec& image, const base::ImageSize& tile_px,
                                  const job::MoreFields& fields) const override {
    const std::uint64_t table = image.deep() ? deep_table_bytes(image, fields) : 0;
    return GpuLane::memory_bytes(image, tile_px, fields, bytes_beside_table(memory_, table));
  }
  std::uint64_t shared_memory_bytes(const job::ImageSpec& image,
                                    const job::MoreFields& fields) const override {
    if (!image.deep()) return 0;
    const std::uint64_t bytes = deep_table_bytes(image, fields);
    check_table(memory_, bytes);
    return bytes;
  }
  int rows_per_call(std::int64_t) const override { return 0; }
  /// A pixel for each thread that the GPU runs at once.
  int rows_to_help(std::int64_t tile_width_px) const override {
    const auto pixels = static_cast<std::int64_t>(std::max(info_.threads, kMinThreads));
    return static_cast<int>((pixels + tile_width_px - 1) / tile_width_px);
  }
  bool shuffles() const override { return true; }
  std::unique_ptr<Stream> open_stream() const { return open_stream_(); }
  std::unique_ptr<ArrayStream> open_array_stream() const { return open_array_stream_(); }
  std::unique_ptr<Lane> open_lane(const LaneOptions& options) const override {
    check_memory();
    return std::make_unique<GpuLane>(open_stream_(), shared_, options, memory_.buffer_bytes);
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    check_memory();
    return std::make_unique<GpuReducer>(open_array_stream_(), spec, memory_.buffer_bytes);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    check_memory();
    return make_gpu_axis_reducer(open_array_stream_(), output_spec, memory_.buffer_bytes);
  }
  std::unique_ptr<Mapper> open_mapper() const override {
    check_memory();
    return make_gpu_mapper(open_array_stream_(), memory_.buffer_bytes);
  }
  std::unique_ptr<GroupReducer> open_group_reducer(
      const statistics::GroupSpec& group_spec) const override {
    check_memory();
    return make_gpu_group_reducer(open_array_stream_(), group_spec, memory_.buffer_bytes);
  }

 private:
  /// Threads of a device that does not tell how many it runs.
  // crossed by: helps_with_a_pixel_for_each_thread
  static constexpr std::uint64_t kMinThreads = std::uint64_t{1} << 15;

  /// The table of a prepared image.
  static std::uint64_t deep_table_bytes(const job::ImageSpec& image,
                                        const job::MoreFields& fields) {
    return table_bytes(*deep::prepared(deep_place(image, fields)));
  }
  static void check_memory() {
    if (base::fault("device.memory")) throw DeviceError("a fault point says that memory is full");
  }

  DeviceInfo info_;
  LaneMemory memory_;
  OpenStream open_stream_;
  OpenArrayStream open_array_stream_;
  Opening opening_;
  OpenMeter open_meter_;
  std::shared_ptr<SharedByLanes> shared_;
};

}  // namespace tessera::device::gpu
