// The side of a tile for --tile auto. Pure.
#pragma once

#include <cstdint>

#include "base/geometry.hpp"

namespace tessera::plan {

/// Properties of a job and its ranks on which the choice depends.
struct TileFacts {
  std::uint64_t gpu_threads = 0;  ///< that the largest GPU runs at once; 0 = no GPU, or not known
  int lanes = 1;                  ///< lanes of all ranks
  int largest_px = 0;             ///< the largest tile that fits into the memory of all ranks
  bool deep_on_gpus = false;      ///< the image is one by perturbation, and GPUs alone render it
};

/// Merges the properties of two ranks.
TileFacts joined(const TileFacts& a, const TileFacts& b);

// crossed by: GrowsWithTheGpu
inline constexpr int kDefaultTilePx = 512;
inline constexpr int kLargestAutoTilePx = 4096;

/// The smallest tile of a slow image.
// crossed by: HalvesTilesThatTakeLong
inline constexpr int kMinAutoTilePx = 64;
/// Steps of the dearest tile: about 2 s of a core, whose steps of perturbation take much longer.
// crossed by: HalvesTilesThatTakeLong
inline constexpr double kQuickPlainSteps = 8e9;
// crossed by: HalvesTilesThatTakeLong
inline constexpr double kQuickDeepSteps = 1e8;

/// `tile_px`, halved while the dearest tile, of which `dearest_steps` are predicted now, takes more
/// than that. So a stopped run keeps most of its work. Steps, and not a time, so that the choice is
/// the same on a busy machine.
int quick_tile_px(int tile_px, double dearest_steps, bool deep);

/// Whether the cores would take some seconds for a deep image of so many steps. A GPU with fast f64
/// that is open then has it alone: it takes as long for the rows that cores leave it of a tile as
/// for the whole, since the longest orbits decide.
// crossed by: LeavesDearDeepImagesToTheGpu
bool is_dear_for_cores(double steps, int cores);

/// 512, doubled until a tile keeps the GPU busy for some rounds of its threads, so that the last
/// one costs little. Every lane still gets some tiles; of a deep image on GPUs, every second lane
/// one: its longest orbits take a GPU as long in a large tile as in a small one.
int auto_tile_px(const base::ImageSize& image_px, const TileFacts& facts);

}  // namespace tessera::plan
