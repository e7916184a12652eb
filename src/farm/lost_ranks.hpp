// The ranks that a run lost, for its reports.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Adds an entry for each rank whose report was lost with it, and sorts all entries by rank.
template <class Rank>
void add_lost(std::vector<Rank>& ranks, const comm::World& world) {
  for (const auto& [rank, host] : world.lost_ranks()) {
    const auto same = [number = rank](const Rank& report) { return report.rank == number; };
    if (std::ranges::none_of(ranks, same)) ranks.push_back({.rank = rank, .host = host});
  }
  std::ranges::sort(ranks, {}, &Rank::rank);
}

/// Calls put(report, counts) for each rank that the gather rank has counted results of, and adds an
/// entry for each rank whose report was lost with it. The gather rank counts them, because a lost
/// rank loses its own counts and because an item may have been computed twice.
template <class Counts, class Put>
void put_counts(std::vector<report::RankReport>& ranks, const std::map<int, Counts>& counts,
                const comm::World& world, const Put& put) {
  add_lost(ranks, world);
  for (report::RankReport& rank : ranks) {
    const auto found = counts.find(rank.rank);
    if (found != counts.end()) put(rank, found->second);
  }
}

/// Events with lost ranks, as seen by the gather rank, and repeated items.
report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats);

}  // namespace tessera::farm
