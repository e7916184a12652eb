#include "device/gpu/pixels/band_launches.hpp"

#include <utility>

#include "base/clock.hpp"
#include "device/device_error.hpp"

namespace tessera::device::gpu {

void BandLaunches::run(Tile tile) {
  if ((tile.flags & TS_DEEP) != 0 || LaunchPacer::cuts(tile.iterations)) return run_cut(tile);
  const double elapsed_s = launch(tile);
  pacer_.learn(executed_last_, elapsed_s);
}

/// Continues the orbits that a launch kept, and only those, until there are none.
void BandLaunches::run_cut(Tile tile) {
  do {
    tile.cut = pacer_.cut(kernels::orbits_of(tile));
    tile.kept_before = slots_[0].kept;
    const double elapsed_s = launch(tile);
    tile.left = slots_[0].kept - tile.kept_before;  // modulo 2^32
    pacer_.learn_cut(executed_last_, tile.cut, tile.left != 0, elapsed_s);
    std::swap(tile.orbits_byte, tile.kept_byte);
  } while (tile.left != 0);
}

double BandLaunches::launch(const Tile& tile) {
  if (unwanted_ && unwanted_()) throw Interrupted();
  const auto start = base::Clock::now();
  stream_.launch(tile);
  slots_ = stream_.read_stats();
  std::uint64_t executed = 0;
  for (const kernels::TsStats& slot : slots_) executed += joined_halves(slot.executed);
  executed_last_ = executed - executed_;
  executed_ = executed;
  return base::seconds_between(start, base::Clock::now());
}

}  // namespace tessera::device::gpu
