// All that CUDA and OpenCL differ in when they render.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "device/gpu/device_queue.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::device::gpu {

using Tile = kernels::TsTile;
using StatsSlots = std::array<kernels::TsStats, TS_STATS_SLOTS>;

/// What the slots hold before a launch.
inline constexpr kernels::TsStats kNoPixels{{0, 0}, {0, 0}, 0xFFFFFFFFU, 0};

/// As every DeviceQueue; its memory is for pixels.
class Stream : public DeviceQueue {
 public:
  /// Returns at once. The first `bytes` of pixel memory become 0.
  virtual void clear(std::size_t bytes) = 0;
  /// Returns at once. Empties the slots.
  virtual void begin_stats() = 0;
  /// Returns at once. Renders into pixel memory and adds to the slots.
  virtual void launch(const Tile& tile) = 0;
  /// Waits for everything so far.
  virtual StatsSlots read_stats() = 0;
  /// Returns at once; the bytes are there after wait().
  virtual void copy_out(std::size_t from, std::span<std::byte> to) = 0;
  /// After a DeviceError: whether it was the end of what drives the device, and there is something
  /// new that does; then the stream is as it was opened, but for its buffers.
  virtual bool revive() { return false; }
};

}  // namespace tessera::device::gpu
