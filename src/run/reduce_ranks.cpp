#include "run/reduce_ranks.hpp"

#include "run/thread_reports.hpp"

namespace tessera::run {

std::vector<report::ReduceRank> gather_ranks(comm::World& world, report::ReduceRank mine) {
  mine.rank = world.rank();
  mine.host = world.host();
  mine.peak_memory_bytes = peak_memory_bytes();
  std::vector<report::ReduceRank> all;
  for (const base::Bytes& part : world.gather(report::serialize(mine))) {
    if (part.empty()) continue;  // the rank is lost
    all.push_back(report::deserialize_reduce_rank(part));
  }
  return all;
}

}  // namespace tessera::run
