#include "farm/lost_ranks.hpp"

namespace tessera::farm {

report::InFlight in_flight_of(const comm::World& world, const plan::Repeats& repeats) {
  report::InFlight in_flight{.repeats = repeats};
  for (const auto& [rank, host] : world.lost_ranks()) in_flight.lost.push_back({rank, host});
  return in_flight;
}

}  // namespace tessera::farm
