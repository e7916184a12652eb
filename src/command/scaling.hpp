// tessera plan --ranks: how long a render would take with other numbers of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/simulation.hpp"
#include "plan/writer_choice.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {

struct ScalingOptions {
  std::vector<int> ranks;  ///< empty = no simulation
  std::uint64_t disk_bytes_per_s = plan::kDiskBytesPerSecond;
};

/// Of --ranks: "1,8,64".
std::vector<int> parse_ranks(std::string_view text);

struct ScaledRun {
  int ranks = 1;
  int writers = 1;
  plan::SimulatedRun run;
};

struct ScaledJob {
  std::span<const float> costs;  ///< of the tiles, in any unit
  double lane_s = 0;             ///< of all tiles on one worker
  int lanes = 1;                 ///< workers of each rank
  double tile_bytes = 0;         ///< stored, on average
  int writers = 1;               ///< ranks that write the image, or job::kAutoWriters
  std::int64_t rows = 1;         ///< of tiles: there are no more parts
};

/// Simulates the job with each number of ranks. The tiles take what is predicted, times a factor
/// that differs from tile to tile as predictions do.
std::vector<ScaledRun> simulate_ranks(const ScaledJob& job, const ScalingOptions& options);

/// `before_s`: what every run takes before its tiles.
std::string scaling_text(std::span<const ScaledRun> runs, double before_s);
report::Json scaling_json(std::span<const ScaledRun> runs, double before_s);

}  // namespace tessera::command
