// All that CUDA and OpenCL differ in when they render: a queue of work with memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "device/device.hpp"
#include "kernels/tile.hpp"

namespace tessera::device::gpu {

using Tile = kernels::TsTile;
using StatsSlots = std::array<kernels::TsStats, TS_STATS_SLOTS>;

/// What the slots hold before a launch.
inline constexpr kernels::TsStats kNoPixels{{0, 0}, {0, 0}, 0xFFFFFFFFU, 0};

/// Calls are carried out one after another; those that say so return at once. One thread at a time.
/// Everything throws DeviceError. Opening a stream takes kLeastBytes of pixel memory, so that
/// however full the device gets, a stream that is open can go on in small bands.
class Stream {
 public:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 20;

  virtual ~Stream() = default;
  /// Bytes of pixel memory, kLeastBytes or more.
  virtual std::size_t capacity() const = 0;
  /// Exchanges the pixel memory for `bytes`; false, and all as it was, when the device has no room.
  virtual bool grow(std::size_t bytes) = 0;
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
  /// Sleeps until everything is done.
  virtual void wait() = 0;
  /// Page-locked memory of the host.
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) = 0;
  /// Page-locks memory that is there already, as long as the answer lives; null where that cannot
  /// be done, and all works as well, slower.
  virtual std::shared_ptr<void> lock_memory(std::span<std::byte>) { return nullptr; }
  /// After a DeviceError: whether it was the end of what drives the device, and there is something
  /// new that does; then the stream is as it was opened, but for its buffers.
  virtual bool revive() { return false; }
};

}  // namespace tessera::device::gpu
