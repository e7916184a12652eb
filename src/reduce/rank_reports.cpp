#include "reduce/rank_reports.hpp"

#include <algorithm>

#include "farm/thread_reports.hpp"

namespace tessera::reduce {

report::ReduceRank rank_report(const binding::RankDevices& devices, int workers,
                               const std::vector<report::ThreadReport>& threads, double read_s) {
  report::ReduceRank rank{.device = devices.names(), .workers = workers, .read_s = read_s};
  const auto seconds = [](const report::ThreadReport& thread, report::Stage stage) {
    return thread.seconds[static_cast<std::size_t>(stage)];
  };
  for (const report::ThreadReport& thread : threads) {
    if (!thread.worker) continue;
    rank.reduce_s += seconds(thread, report::Stage::compute);
    rank.wait_s += seconds(thread, report::Stage::wait);
  }
  rank.reduce_s = std::max(0.0, rank.reduce_s - read_s);
  rank.lost = devices.losses();
  return rank;
}

std::vector<report::ReduceRank> gather_ranks(comm::World& world, report::ReduceRank mine) {
  mine.rank = world.rank();
  mine.host = world.host();
  mine.peak_memory_bytes = farm::peak_memory_bytes();
  std::vector<report::ReduceRank> all;
  for (const base::Bytes& part : world.gather(report::serialize(mine))) {
    if (part.empty()) continue;  // the rank is lost
    all.push_back(report::deserialize_reduce_rank(part));
  }
  return all;
}

}  // namespace tessera::reduce
