#include "command/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/image/render_job.hpp"

namespace tessera::command {
namespace {

/// More than any machine has.
constexpr std::int64_t kMaxRanks = 1'000'000;
/// Spread of the factor by which predictions are off (the logarithm's standard deviation).
constexpr double kSpread = 0.3;
/// From here on, something is the limit.
constexpr double kLimits = 0.8;
constexpr double kEfficient = 0.9;

int writers_for(const ScaledJob& job, int ranks, double store_s) {
  const std::int64_t most = std::min<std::int64_t>(ranks, job.rows);
  if (job.writers != job::kAutoWriters) {
    return static_cast<int>(std::min<std::int64_t>(job.writers, most));
  }
  const double workers = static_cast<double>(ranks) * job.lanes;
  return plan::auto_writers(job.lane_s / workers, store_s * static_cast<double>(job.costs.size()),
                            most);
}

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
  const double store_s = plan::store_seconds(job.tile_bytes, options.disk_bytes_per_s);
  std::vector<ScaledRun> runs;
  for (const int ranks : options.ranks) {
    const int writers = writers_for(job, ranks, store_s);
    plan::SimulatedFarm farm{.ranks = ranks, .lanes = job.lanes, .writers = writers};
    farm.gather.store_s = store_s;
    runs.push_back({ranks, writers, plan::simulate(farm, job.costs, seconds)});
  }
  return runs;
}

std::string scaling_text(std::span<const ScaledRun> runs, double before_s) {
  std::string text = fmt::format("\n{:>8}  {:>7}  {:>9}  {:>10}  {}\n", "ranks", "writers", "time",
                                 "efficiency", "limit");
  for (const auto& [ranks, writers, run] : runs) {
    text += fmt::format("{:>8}  {:>7}  {:>9}  {:>8.1f} %  {}\n", ranks, writers,
                        base::format_seconds(before_s + run.wall_s), 100 * run.efficiency(),
                        limit_of(run));
  }
  int most = 0;
  for (const auto& [ranks, writers, run] : runs) {
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
  for (const auto& [ranks, writers, run] : runs) {
    json.push_back({{"ranks", ranks},
                    {"writers", writers},
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
