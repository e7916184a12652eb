#include "run/stored_counts.hpp"

#include <algorithm>

namespace tessera::run {
namespace {

/// An entry for each rank that was lost with its report; all in order.
template <class Rank>
void add_lost(std::vector<Rank>& ranks, const comm::World& world) {
  for (const auto& [rank, host] : world.lost_ranks()) {
    const auto same = [number = rank](const Rank& report) { return report.rank == number; };
    if (std::ranges::none_of(ranks, same)) ranks.push_back({.rank = rank, .host = host});
  }
  std::ranges::sort(ranks, {}, &Rank::rank);
}

}  // namespace

void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, StoredCounts>& stored,
                const comm::World& world) {
  add_lost(ranks, world);
  for (report::RankReport& rank : ranks) {
    const auto found = stored.find(rank.rank);
    if (found == stored.end()) continue;
    rank.tiles = found->second.tiles;
    rank.pixels = found->second.pixels;
    rank.iterations = found->second.iterations;
    rank.bytes = found->second.bytes;
  }
}

void put_counts(std::vector<report::ReduceRank>& ranks, const std::map<int, ReducedCounts>& reduced,
                std::uint64_t element_bytes, const comm::World& world) {
  add_lost(ranks, world);
  for (report::ReduceRank& rank : ranks) {
    const auto found = reduced.find(rank.rank);
    if (found == reduced.end()) continue;
    rank.slices = found->second.slices;
    rank.elements = found->second.elements;
    rank.bytes = static_cast<std::uint64_t>(rank.elements) * element_bytes;
  }
}

report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats) {
  report::InFlight in_flight{.repeats = repeats};
  for (const auto& [rank, host] : world.lost_ranks()) in_flight.lost.push_back({rank, host});
  return in_flight;
}

}  // namespace tessera::run
