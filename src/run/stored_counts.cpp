#include "run/stored_counts.hpp"

#include <algorithm>

namespace tessera::run {

void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, StoredCounts>& stored,
                const comm::World& world) {
  for (const auto& [rank, host] : world.lost_ranks()) {
    const auto same = [number = rank](const auto& report) { return report.rank == number; };
    if (std::ranges::none_of(ranks, same)) ranks.push_back({.rank = rank, .host = host});
  }
  std::ranges::sort(ranks, {}, &report::RankReport::rank);
  for (report::RankReport& rank : ranks) {
    const auto found = stored.find(rank.rank);
    if (found == stored.end()) continue;
    rank.tiles = found->second.tiles;
    rank.pixels = found->second.pixels;
    rank.iterations = found->second.iterations;
    rank.bytes = found->second.bytes;
  }
}

report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats) {
  report::InFlight in_flight{.repeats = repeats};
  for (const auto& [rank, host] : world.lost_ranks()) in_flight.lost.push_back({rank, host});
  return in_flight;
}

}  // namespace tessera::run
