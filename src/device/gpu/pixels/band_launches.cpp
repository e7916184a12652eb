#include "device/gpu/pixels/band_launches.hpp"

#include "base/clock.hpp"
#include "device/device_error.hpp"

namespace tessera::device::gpu {

void BandLaunches::run(const Tile& tile) {
  const bool cut = (tile.flags & TS_DEEP) != 0 || LaunchPacer::cuts(tile.iterations);
  cut ? run_cut(tile) : run_whole(tile, pacer_);
}

void BandLaunches::run_whole(const Tile& tile, LaunchPacer& pacer) {
  throw_if_cancelled();
  const std::uint64_t before = stats_.executed;
  const auto start = base::Clock::now();
  stream_.launch(tile);
  stats_ = stream_.read_stats();
  pacer.learn(stats_.executed - before, base::seconds_between(start, base::Clock::now()));
}

/// Continues the orbits that a launch kept, and only those, until there are none.
void BandLaunches::run_cut(const Tile& tile) {
  CutRun run{.tile = tile, .stats = stats_};
  do {
    throw_if_cancelled();
    const CutSpeeds before = pacer_.cut_speeds();
    run.speeds = before;
    run = stream_.launch_cut(run);
    pacer_.learn_cut(before, run.speeds);
    stats_ = run.stats;
  } while (run.tile.left != 0);
}

void BandLaunches::throw_if_cancelled() const {
  if (cancelled_ && cancelled_()) throw Interrupted();
}

}  // namespace tessera::device::gpu
