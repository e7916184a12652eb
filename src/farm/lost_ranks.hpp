// The ranks that a run lost, for its reports.
#pragma once

#include <algorithm>
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

/// Events with lost ranks, as seen by the gather rank, and repeated items.
report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats);

}  // namespace tessera::farm
