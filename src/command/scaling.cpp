#include "command/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace tessera::command {
namespace {

/// More than any machine has.
constexpr std::int64_t kMaxRanks = 1'000'000;
/// Of a tile of one value, for its message, its record and its chunk:
/// docs/benchmarks/2026-11-scale.md.
constexpr double kStoreSeconds = 8e-6;
/// Spread of the factor by which predictions are off (the logarithm's standard deviation).
constexpr double kSpread = 0.3;
/// From here on, something is the limit.
constexpr double kLimits = 0.8;
constexpr double kEfficient = 0.9;

std::vector<float> seconds_of(const ScaledJob& job) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> seconds(job.costs.begin(), job.costs.end());
  for (float& cost : seconds) cost *= std::exp(static_cast<float>(kSpread) * normal(random));
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (sum <= 0) return seconds;
  for (float& cost : seconds) cost *= static_cast<float>(job.lane_s / sum);
  return seconds;
}

std::string limit_of(const plan::SimulatedRun& run) {
  if (run.efficiency() >= kEfficient) return "";
  if (run.writer_busy_s > kLimits * run.wall_s) return "the writers; more --writers help";
  if (run.gather_busy_s > kLimits * run.wall_s) {
    return run.writer_busy_s > 0 ? "the gather rank, which deals the tiles"
                                 : "the gather rank, which stores the tiles; --writers helps";
  }
  if (run.longest_item_s > kLimits * run.wall_s) return "the longest tile; a smaller --tile helps";
  return "few tiles a rank; a smaller --tile helps";
}

}  // namespace

std::vector<int> parse_ranks(std::string_view text) {
  std::vector<int> ranks;
  for (const std::string& part : base::split(text, ',')) {
    ranks.push_back(static_cast<int>(base::parse_integer(part, "--ranks", 1, kMaxRanks)));
  }
  if (ranks.empty()) throw base::usage_error("--ranks: names no number; give some, such as 1,8,64");
  return ranks;
}

std::vector<ScaledRun> simulate_ranks(const ScaledJob& job, const ScalingOptions& options) {
  const std::vector<float> seconds = seconds_of(job);
  std::vector<ScaledRun> runs;
  for (const int ranks : options.ranks) {
    plan::SimulatedFarm farm{
        .ranks = ranks, .lanes = job.lanes, .writers = std::min(job.writers, ranks)};
    farm.gather.store_s =
        kStoreSeconds + job.tile_bytes / static_cast<double>(options.disk_bytes_per_s);
    runs.push_back({ranks, plan::simulate(farm, job.costs, seconds)});
  }
  return runs;
}

std::string scaling_text(std::span<const ScaledRun> runs, double before_s) {
  std::string text =
      fmt::format("\n{:>8}  {:>9}  {:>10}  {}\n", "ranks", "time", "efficiency", "limit");
  for (const auto& [ranks, run] : runs) {
    text += fmt::format("{:>8}  {:>9}  {:>8.1f} %  {}\n", ranks,
                        base::format_seconds(before_s + run.wall_s), 100 * run.efficiency(),
                        limit_of(run));
  }
  int most = 0;
  for (const auto& [ranks, run] : runs) {
    if (run.efficiency() >= kEfficient) most = std::max(most, ranks);
  }
  if (runs.size() > 1 && most > 0) {
    text += fmt::format("with up to {}, at most a tenth of the workers' time is unused\n",
                        base::count_of(most, "rank"));
  }
  return text;
}

report::Json scaling_json(std::span<const ScaledRun> runs, double before_s) {
  report::Json json = report::Json::array();
  for (const auto& [ranks, run] : runs) {
    json.push_back({{"ranks", ranks},
                    {"wall_s", before_s + run.wall_s},
                    {"efficiency", run.efficiency()},
                    {"gather_busy", run.wall_s > 0 ? run.gather_busy_s / run.wall_s : 0},
                    {"writer_busy", run.wall_s > 0 ? run.writer_busy_s / run.wall_s : 0},
                    {"longest_tile_s", run.longest_item_s},
                    {"limit", limit_of(run)}});
  }
  return json;
}

}  // namespace tessera::command
