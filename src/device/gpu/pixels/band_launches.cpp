#include "device/gpu/pixels/band_launches.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "device/device_error.hpp"

namespace tessera::device::gpu {
namespace {

std::uint64_t joined_halves(const kernels::TS_U32 (&halves)[2]) {
  return halves[0] | std::uint64_t{halves[1]} << 32;
}

}  // namespace

BandStats joined(const StatsSlots& slots) {
  BandStats stats;
  for (const kernels::TsStats& slot : slots) {
    stats.iterations += joined_halves(slot.iterations);
    stats.executed += joined_halves(slot.executed);
    stats.least = std::min(stats.least, slot.least);
    stats.most = std::max(stats.most, slot.most);
  }
  stats.kept = slots[0].kept;
  stats.uncertain = slots[0].uncertain;
  return stats;
}

void BandLaunches::run(Tile tile) {
  if ((tile.flags & TS_DEEP) != 0 || LaunchPacer::cuts(tile.iterations)) return run_cut(tile);
  const double elapsed_s = launch(tile);
  pacer_.learn(executed_last_, elapsed_s);
}

/// Continues the orbits that a launch kept, and only those, until there are none.
void BandLaunches::run_cut(Tile tile) {
  do {
    tile.cut = pacer_.cut(kernels::orbits_of(tile));
    tile.kept_before = stats_.kept;
    const double elapsed_s = launch(tile);
    tile.left = stats_.kept - tile.kept_before;  // modulo 2^32
    pacer_.learn_cut(executed_last_, tile.cut, tile.left != 0, elapsed_s);
    std::swap(tile.orbits_byte, tile.kept_byte);
  } while (tile.left != 0);
}

double BandLaunches::launch(const Tile& tile) {
  if (unwanted_ && unwanted_()) throw Interrupted();
  const auto start = base::Clock::now();
  stream_.launch(tile);
  const std::uint64_t executed_before = stats_.executed;
  stats_ = stream_.read_stats();
  executed_last_ = stats_.executed - executed_before;
  return base::seconds_between(start, base::Clock::now());
}

}  // namespace tessera::device::gpu
