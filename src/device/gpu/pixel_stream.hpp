// The interface between GPU lanes and a backend: all differences of CUDA and OpenCL in rendering.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "device/gpu/device_queue.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::device::gpu {

using Tile = kernels::TsTile;
using StatsSlots = std::array<kernels::TsStats, TS_STATS_SLOTS>;

/// Initial value of the statistics slots.
inline constexpr kernels::TsStats kNoPixels{{0, 0}, {0, 0}, 0xFFFFFFFFU, 0, 0, 0};

/// The queue's memory holds pixels, and behind them orbits that a cut launch keeps for the next.
class Stream : public DeviceQueue {
 public:
  /// Returns at once. Sets the first `bytes` of pixel memory to 0.
  virtual void clear(std::size_t bytes) = 0;
  /// Returns at once. Resets the slots.
  virtual void begin_stats() = 0;
  /// Returns at once. Renders into pixel memory and adds to the slots. Cuts orbits if tile.cut is
  /// not 0.
  virtual void launch(const Tile& tile) = 0;
  /// Waits for all launches so far.
  virtual StatsSlots read_stats() = 0;
  /// Returns at once; the bytes are valid after wait().
  virtual void copy_out(std::size_t from, std::span<std::byte> to) = 0;
};

}  // namespace tessera::device::gpu
