// A farm of any size, simulated: the schedule and the dealer of real runs, with ranks, messages and
// the gather rank as events in time. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/schedule.hpp"

namespace tessera::plan {

/// Where the time of the gather rank and of the other writers goes, in seconds.
struct GatherCosts {
  double deal_s = 1.5e-6;  ///< for a request of a rank
  double store_s = 0;      ///< for a result: to receive and write it
  double note_s = 1e-6;    ///< on the gather rank, for a result that another rank has written
};

struct SimulatedFarm {
  int ranks = 1;
  int lanes = 1;  ///< worker threads of each rank
  double latency_s = 2e-5;
  GatherCosts gather;
  int writers = 1;  ///< ranks that write the results, each a part; one is the gather rank
  /// Adds what deal() and finish() take by this clock; null = only `gather` counts.
  std::function<double()> clock;
  /// The speed of a rank; empty = 1 of each.
  std::function<double(int rank)> speed_of;
  /// Ranks that are lost, and when.
  struct Loss {
    int rank = 0;
    double at_s = 0;
  };
  std::vector<Loss> losses;
};

struct SimulatedRun {
  double wall_s = 0;
  double ideal_s = 0;          ///< if all workers had work all the time
  double gather_busy_s = 0;    ///< of the gather rank
  double writer_busy_s = 0;    ///< of the writer that is busiest, if there are several
  double longest_queue_s = 0;  ///< that a message waited there
  double longest_item_s = 0;
  std::int64_t deals = 0;
  std::int64_t stored = 0;  ///< items; all of them, each once
  Repeats repeats;

  double efficiency() const { return wall_s > 0 ? ideal_s / wall_s : 1; }
};

/// `predicted`: costs that the schedule knows, in any unit; `seconds`: what the items take on a
/// rank of speed 1.
SimulatedRun simulate(const SimulatedFarm& farm, std::span<const float> predicted,
                      std::span<const float> seconds);

}  // namespace tessera::plan
