#include "device/gpu/pixels/pixel_stream.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

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

CutRun Stream::launch_cut(const CutRun& run) {
  CutRun next = run;
  Tile& tile = next.tile;
  tile.cut = run.speeds.cut(kernels::orbits_of(tile));
  tile.kept_before = run.stats.kept;
  const auto start = base::Clock::now();
  launch(tile);
  next.stats = read_stats();
  tile.left = next.stats.kept - tile.kept_before;  // modulo 2^32
  next.speeds.learn(next.stats.executed - run.stats.executed, tile.cut, tile.left != 0,
                    base::seconds_between(start, base::Clock::now()));
  std::swap(tile.orbits_byte, tile.kept_byte);
  return next;
}

CutRun Stream::launch_cut_for_a_while(const CutRun& run) {
  const auto start = base::Clock::now();
  CutRun next = launch_cut(run);
  while (next.tile.left != 0 &&
         base::seconds_between(start, base::Clock::now()) < CutSpeeds::kLongestSeconds) {
    next = launch_cut(next);
  }
  return next;
}

}  // namespace tessera::device::gpu
