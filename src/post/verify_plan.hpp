// What `tessera verify` has before it starts: its request, and what it keeps of each tile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Rows of a sampled tile that are computed again.
inline constexpr std::int64_t kSampledRows = 16;

struct VerifyJob {
  std::string input;
  std::int64_t sample = 32;  ///< tiles
  std::string device;        ///< "" = another one than made the file
  std::uint64_t seed = 1;
  int threads = 0;
  bool isolate = true;        ///< each GPU in a process of its own
  int device_timeout_s = 60;  ///< which may be silent for so long beyond what its work explains
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< bound per rank
  bool quiet = false;
};

enum class TileState : std::uint8_t {
  absent,
  stored,
  sampled,   ///< stored, and some of its rows are to be computed again
  misplaced  ///< its row in /tiles speaks of another tile
};

struct VerifyPlan {
  job::RenderJob job;  ///< as the file's attributes say
  plan::TileGrid tiles;
  bool complete = false;  ///< the file says so
  std::uint64_t seed = 1;
  int most_lanes = 0;  ///< whose buffers fit into --memory
  bool by_reference = false;
  // All that is kept of /tiles, by tile number.
  std::vector<std::uint32_t> checksums;
  std::vector<std::uint64_t> iterations;
  std::vector<TileState> states;

  /// First of the rows of a tile that are computed again: the same on every rank.
  std::int64_t sampled_row(std::int64_t tile) const;
};

/// Usage error if the file's attributes are not those of its datasets (job_of()), or naming
/// --memory and what would do if not even one lane fits; failed if /tiles has not a row for each
/// tile of the grid. A file in the making: as far as it is now.
VerifyPlan plan_verification(const store::ImageReader& reader, const VerifyJob& request);

/// `count` of the stored tiles (all if there are fewer), each as likely as any other, in order.
std::vector<std::uint32_t> choose_sample(const VerifyPlan& plan, std::int64_t count);

/// Tiles that are not (yet) stored in this rank's view of the file stay as they are.
void mark_sample(VerifyPlan& plan, std::span<const std::uint32_t> tiles);

}  // namespace tessera::post
