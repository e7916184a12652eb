#include "report/timings.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>

#include "base/saturated_sum.hpp"

namespace tessera::report {

namespace {

double sum_of_workers(const RankReport& rank, std::initializer_list<Stage> stages) {
  double sum_s = 0;
  for (const ThreadReport& thread : rank.threads) {
    if (!thread.worker) continue;
    for (const Stage stage : stages) sum_s += thread.seconds[static_cast<std::size_t>(stage)];
  }
  return sum_s;
}

}  // namespace

void add_span(ThreadReport& thread, const Span& span) {
  constexpr std::size_t kMaxSpans = std::size_t{1} << 16;
  if (!thread.spans.empty()) {
    Span& last = thread.spans.back();
    if (last.stage == span.stage && last.item == span.item && span.item >= 0) {
      last.end_s = span.end_s;
      return;
    }
  }
  if (thread.spans.size() < kMaxSpans) {
    thread.spans.push_back(span);
  } else {
    ++thread.spans_dropped;
  }
}

double DeviceOpening::seconds(std::string_view part) const {
  double sum_s = 0;
  for (const Part& one : parts) sum_s += one.name == part ? one.end_s - one.start_s : 0;
  return sum_s;
}

void RankReport::add_work(const RankReport& other) {
  tiles += other.tiles;
  pixels += other.pixels;
  iterations = base::saturated_sum(iterations, other.iterations);
  executed += other.executed;
  uncertain += other.uncertain;
  slices += other.slices;
  elements += other.elements;
  read_s += other.read_s;
  bytes += other.bytes;
}

double RankReport::seconds(Stage stage) const {
  double sum_s = 0;
  for (const ThreadReport& thread : threads) {
    sum_s += thread.seconds[static_cast<std::size_t>(stage)];
  }
  return sum_s;
}

double RankReport::busy_s() const {
  return sum_of_workers(*this, {Stage::compute, Stage::encode, Stage::color});
}

double RankReport::worker_seconds(Stage stage) const {
  return sum_of_workers(*this, {stage});
}

int RankReport::workers() const {
  return static_cast<int>(std::ranges::count_if(threads, &ThreadReport::worker));
}

double load_balance(const RunReport& run) {
  double sum_s = 0;
  double max_s = 0;
  for (const RankReport& rank : run.ranks) {
    sum_s += rank.busy_s();
    max_s = std::max(max_s, rank.busy_s());
  }
  return sum_s > 0 ? max_s * static_cast<double>(run.ranks.size()) / sum_s : 1;
}

double computing_share(const RunReport& run) {
  double computing_s = 0;
  double available_s = 0;
  for (const RankReport& rank : run.ranks) {
    computing_s += sum_of_workers(rank, {Stage::compute, Stage::color});
    available_s += rank.workers() * run.wall_s;
  }
  return available_s > 0 ? std::clamp(computing_s / available_s, 0.0, 1.0) : 0;
}

double Energy::all_j() const {
  if (!base::is_told(cores_j)) return gpus_j;
  return base::is_told(gpus_j) ? cores_j + gpus_j : cores_j;
}

Energy energy_of(std::span<const RankReport> ranks) {
  std::set<std::string> hosts;
  std::map<std::string, double> cores_j;
  std::map<std::pair<std::string, std::string>, double> gpus_j;
  for (const RankReport& rank : ranks) {
    hosts.insert(rank.host);
    for (const MeterReport& meter : rank.meters) {
      double& known_j = meter.of_cores()
                            ? cores_j.try_emplace(rank.host, 0).first->second
                            : gpus_j.try_emplace({rank.host, meter.address}, 0).first->second;
      // Ranks that share it read the same counter; the longest time is the run's.
      known_j = base::is_told(meter.energy_j) ? std::max(known_j, meter.energy_j) : meter.energy_j;
    }
  }
  Energy energy{.gpus = static_cast<int>(gpus_j.size())};
  const auto sum_of = [](const auto& all) {
    double sum_j = 0;
    for (const auto& [of, one_j] : all) sum_j += one_j;
    return sum_j;
  };
  if (!hosts.empty() && cores_j.size() == hosts.size()) energy.cores_j = sum_of(cores_j);
  if (!gpus_j.empty()) energy.gpus_j = sum_of(gpus_j);
  return energy;
}

RankReport totals(std::span<const RankReport> ranks) {
  RankReport sum;
  sum.rank = -1;
  for (const RankReport& rank : ranks) {
    sum.add_work(rank);
    sum.peak_memory_bytes += rank.peak_memory_bytes;
    for (const ThreadReport& thread : rank.threads) {
      sum.threads.push_back({thread.name, thread.worker, thread.seconds, {}});
    }
  }
  return sum;
}

Start start_of(std::span<const RankReport> ranks, double wall_s) {
  Start start{.wall_s = wall_s, .energy_j = energy_of(ranks).all_j()};
  std::uint64_t items = 0;
  for (const RankReport& rank : ranks) {
    start.worker_s += rank.workers() * wall_s;
    start.busy_s += rank.busy_s();
    items =
        base::saturated_sum(items, base::saturated_sum(static_cast<std::uint64_t>(rank.tiles),
                                                       static_cast<std::uint64_t>(rank.slices)));
  }
  start.items = static_cast<std::int64_t>(
      std::min<std::uint64_t>(items, std::numeric_limits<std::int64_t>::max()));
  return start;
}

}  // namespace tessera::report
