// The launches that render a band of pixels: as large as the pacer allows, and several for each
// pixel if its orbit may be too long for one.
#pragma once

#include <functional>

#include "device/gpu/pixels/launch_pacer.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::gpu {

class BandLaunches {
 public:
  /// Begins the statistics of a band. Launches throw Interrupted once `unwanted`, unless empty, is
  /// true. It must outlive this object.
  BandLaunches(Stream& stream, LaunchPacer& pacer, const std::function<bool()>& unwanted)
      : stream_(stream), pacer_(pacer), cancelled_(unwanted) {
    stream_.begin_stats();
  }

  /// Renders tile.width x tile.height pixels. With tile.orbits_byte and tile.kept_byte, memory for
  /// as many orbits lies at either. Orbits of deep pixels are always cut.
  void run(const Tile& tile);
  /// A launch for tile.listed pixels, from whose speed `pacer` learns.
  void run_listed(const Tile& tile, LaunchPacer& pacer) { run_whole(tile, pacer); }
  /// The statistics of all pixels so far.
  const BandStats& stats() const { return stats_; }

 private:
  void run_whole(const Tile& tile, LaunchPacer& pacer);
  void run_cut(const Tile& tile);
  void throw_if_cancelled() const;

  Stream& stream_;
  LaunchPacer& pacer_;
  const std::function<bool()>& cancelled_;
  BandStats stats_;
};

}  // namespace tessera::device::gpu
