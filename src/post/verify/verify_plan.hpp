// The plan of `tessera verify`: the job of the file, and the state of each tile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/image/render_job.hpp"
#include "job/image/verify_job.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Rows of a sampled tile that are recomputed.
inline constexpr std::int64_t kSampledRows = 16;

enum class TileState : std::uint8_t {
  absent,
  stored,
  sampled,   ///< stored, and some of its rows will be recomputed
  misplaced  ///< its row in /tiles describes another tile
};

struct VerifyPlan {
  job::RenderJob job;  ///< from the attributes of the file
  plan::TileGrid tiles;
  bool complete = false;  ///< the file is marked complete
  std::uint64_t seed = 1;
  int max_lanes = 0;  ///< lanes whose buffers fit into --memory
  bool by_reference = false;
  // The needed columns of /tiles, by tile number.
  std::vector<std::uint32_t> checksums;
  std::vector<std::uint64_t> iterations;
  std::vector<TileState> states;

  /// In a deep image the tile of the middle pixel, the nearest one to the reference orbit, which
  /// every sample has; otherwise -1.
  std::int64_t middle_tile() const;
  /// The recomputed rows of a tile; the same on every rank. They have the middle pixel.
  base::PixelRect sampled_rows(std::int64_t tile) const;
};

/// Throws a usage error if the attributes contradict the datasets (job_of()) or if not even one
/// lane fits into --memory (it names a sufficient value), and a failed error if /tiles does not
/// have one row per tile of the grid. A growing file is planned in its current state.
VerifyPlan plan_verification(const store::ImageReader& reader, const job::VerifyJob& request);

/// Chooses `count` of the stored tiles (all if there are fewer) with equal probability, in
/// ascending order, and the middle tile.
std::vector<std::uint32_t> choose_sample(const VerifyPlan& plan, std::int64_t count);

/// Marks `tiles` as sampled, except those that are not stored in this rank's view of the file.
void mark_sample(VerifyPlan& plan, std::span<const std::uint32_t> tiles);

}  // namespace tessera::post
