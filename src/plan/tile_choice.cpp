#include "plan/tile_choice.hpp"

#include <algorithm>

#include "plan/tile_grid.hpp"

namespace tessera::plan {
namespace {

// crossed by: GrowsWithTheGpu, LeavesSomeTilesForEveryLane
constexpr std::uint64_t kRounds = 8;
constexpr std::int64_t kTilesOfLane = 4;

}  // namespace

TileFacts joined(const TileFacts& a, const TileFacts& b) {
  return {std::max(a.gpu_threads, b.gpu_threads), a.lanes + b.lanes,
          std::min(a.largest_px, b.largest_px), a.deep_on_gpus && b.deep_on_gpus};
}

int quick_tile_px(int tile_px, double dearest_steps, bool deep) {
  const double quick = deep ? kQuickDeepSteps : kQuickPlainSteps;
  while (dearest_steps > quick && tile_px / 2 >= kMinAutoTilePx) {
    tile_px /= 2;
    dearest_steps /= 4;
  }
  return tile_px;
}

bool is_dear_for_cores(double steps, int cores) {
  constexpr double kStepsOfCore = kQuickDeepSteps / 2;  // in a second
  constexpr double kSeconds = 5;
  return steps > kSeconds * kStepsOfCore * cores;
}

int auto_tile_px(const base::ImageSize& image_px, const TileFacts& facts) {
  int tile_px = kDefaultTilePx;
  const auto is_busy = [&] {
    return static_cast<std::uint64_t>(tile_px) * static_cast<std::uint64_t>(tile_px) >=
           kRounds * facts.gpu_threads;
  };
  const std::int64_t least = facts.deep_on_gpus ? facts.lanes / 2 : kTilesOfLane * facts.lanes;
  const int max_px = std::min(facts.largest_px, kLargestAutoTilePx);
  while (!is_busy() && 2 * tile_px <= max_px && TileGrid{image_px, 2 * tile_px}.count() >= least) {
    tile_px *= 2;
  }
  return tile_px;
}

}  // namespace tessera::plan
