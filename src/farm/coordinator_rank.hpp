// A farm on the gather rank, which coordinates and also works itself.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"

namespace tessera::farm {

/// How a farm ended: done, or why not.
struct Outcome {
  base::ExitCode code = base::ExitCode::done;
  std::string text;

  static auto members(auto& self) { return std::tie(self.code, self.text); }
};

/// Returns the reports of this rank's threads.
std::vector<report::ThreadReport> run_coordinator_rank(comm::World& world, Work& work,
                                                       const Storing& storing,
                                                       const FarmLimits& limits, Gather& gather,
                                                       Outcome& outcome);

}  // namespace tessera::farm
