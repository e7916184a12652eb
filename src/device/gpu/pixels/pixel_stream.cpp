#include "device/gpu/pixels/pixel_stream.hpp"

#include <utility>

#include "base/clock.hpp"

namespace tessera::device::gpu {

CutRun Stream::launch_cut(const CutRun& run) {
  CutRun next = run;
  Tile& tile = next.tile;
  tile.cut = run.speeds.cut(kernels::orbits_of(tile));
  tile.kept_before = run.slots[0].kept;
  const auto start = base::Clock::now();
  launch(tile);
  next.slots = read_stats();
  tile.left = next.slots[0].kept - tile.kept_before;  // modulo 2^32
  next.speeds.learn(executed_of(next.slots) - executed_of(run.slots), tile.cut, tile.left != 0,
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
