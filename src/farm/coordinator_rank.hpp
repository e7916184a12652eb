// The half of a farm on the gather rank: it gathers, and works itself.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"

namespace tessera::farm {

/// How a farm ended: done, or why it did not.
struct Outcome {
  base::ExitCode code = base::ExitCode::done;
  std::string text;
};

/// Returns what the threads of this rank did.
std::vector<report::ThreadReport> run_coordinator_rank(comm::World& world, Work& work,
                                                       const FarmLimits& limits, Gather& gather,
                                                       Outcome& outcome);

}  // namespace tessera::farm
