// The launches that render a band of pixels: as large as the pacer allows, and several for each
// pixel if its orbit may be too long for one.
#pragma once

#include <cstdint>
#include <functional>

#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

/// The sum of a 64-bit number that a kernel holds in two halves.
inline std::uint64_t joined_halves(const kernels::TS_U32 (&halves)[2]) {
  return halves[0] | std::uint64_t{halves[1]} << 32;
}

class BandLaunches {
 public:
  /// Begins the statistics of a band. Launches throw Interrupted once `unwanted`, unless empty, is
  /// true. It must outlive this object.
  BandLaunches(Stream& stream, LaunchPacer& pacer, const std::function<bool()>& unwanted)
      : stream_(stream), pacer_(pacer), unwanted_(unwanted) {
    stream_.begin_stats();
  }

  /// Renders tile.width x tile.height pixels. With tile.orbits_byte and tile.kept_byte, memory for
  /// as many orbits lies at either. Orbits of deep pixels are always cut.
  void run(Tile tile);
  /// The statistics of all pixels so far.
  const StatsSlots& slots() const { return slots_; }

 private:
  void run_cut(Tile tile);
  /// Launches, waits, and returns the seconds that this took.
  double launch(const Tile& tile);

  Stream& stream_;
  LaunchPacer& pacer_;
  const std::function<bool()>& unwanted_;
  StatsSlots slots_{};
  std::uint64_t executed_ = 0;       ///< of all launches
  std::uint64_t executed_last_ = 0;  ///< of the last one
};

}  // namespace tessera::device::gpu
