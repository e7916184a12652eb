// The interface between GPU lanes and a backend: all differences of CUDA and OpenCL in rendering.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/queue/device_queue.hpp"
#include "kernels/deep/scalar.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::device::gpu {

using Tile = kernels::TsTile;
using StatsSlots = std::array<kernels::TsStats, TS_STATS_SLOTS>;

/// That of f64, those of 106 bits (deep::PreciseTable::kEpsilons), and that of 190 bits.
inline constexpr std::uint32_t kDeepTables = 2 + kernels::kPreciseTiers;
inline constexpr std::uint32_t kWideTable = kDeepTables - 1;

/// Initial value of the statistics slots.
inline constexpr kernels::TsStats kNoPixels{{0, 0}, {0, 0}, 0xFFFFFFFFU, 0, 0, 0};

/// The sums of all slots.
struct BandStats {
  std::uint64_t iterations = 0;
  std::uint64_t executed = 0;
  std::uint32_t least = kNoPixels.least;
  std::uint32_t most = kNoPixels.most;
  std::uint32_t kept = 0;
  std::uint32_t uncertain = 0;
};
BandStats joined(const StatsSlots& slots);

/// Launches of a tile whose orbits are cut.
struct CutRun {
  Tile tile{};  ///< tile of the next one, which continues tile.left orbits
  BandStats stats;
  CutSpeeds speeds;
};

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
  virtual BandStats read_stats() = 0;
  /// Waits. Takes the next launch, or several of them; the last one leaves no orbits.
  virtual CutRun launch_cut(const CutRun& run);
  /// The same for about CutSpeeds::kLongestSeconds, so that another process waits less often.
  CutRun launch_cut_for_a_while(const CutRun& run);
  /// Returns at once; the bytes are valid after wait().
  virtual void copy_out(std::size_t from, std::span<std::byte> to) = 0;
  /// Returns at once. Copies bytes of a buffer of make_host_buffer() to byte `to` of pixel memory.
  virtual void copy_in(std::span<const std::byte> from, std::size_t to) = 0;

  // The jump tables of a deep image, which all streams of the device share. Images have numbers
  // from 1 on.

  /// Launches of deep tiles are of this image from now on. False if the device does not hold this
  /// table of it.
  virtual bool use_deep(std::uint64_t number, std::uint32_t table) = 0;
  /// Allocates `bytes` bytes for a table and forgets the one that the device holds; for the first
  /// one, forgets all. False if the device has too little memory.
  virtual bool make_deep(std::uint32_t table, const kernels::TsDeepImage& image,
                         std::size_t bytes) = 0;
  /// Returns at once. Copies a part of that table, to byte `at_byte` of it. `from` lies in a buffer
  /// of make_host_buffer().
  virtual void copy_deep(std::span<const std::byte> from, std::size_t at_byte) = 0;
  /// After wait(): the table is complete, and that of image `number`.
  virtual void share_deep(std::uint64_t number) = 0;
};

}  // namespace tessera::device::gpu
