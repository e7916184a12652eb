// The ranks that a run lost, in its reports.
#pragma once

#include <algorithm>
#include <vector>

#include "comm/world.hpp"
#include "report/timings.hpp"

namespace tessera::farm {

/// Adds an entry for each rank that was lost with its report, and sorts all by rank.
template <class Rank>
void add_lost(std::vector<Rank>& ranks, const comm::World& world) {
  for (const auto& [rank, host] : world.lost_ranks()) {
    const auto same = [number = rank](const Rank& report) { return report.rank == number; };
    if (std::ranges::none_of(ranks, same)) ranks.push_back({.rank = rank, .host = host});
  }
  std::ranges::sort(ranks, {}, &Rank::rank);
}

/// What the gather rank saw happen to the ranks, and what it did about it.
report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats);

}  // namespace tessera::farm
