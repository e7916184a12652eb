// A farm on a rank other than the gather rank.
#pragma once

#include <vector>

#include "comm/world.hpp"
#include "farm/farm.hpp"

namespace tessera::farm {

/// Requests items, lets the workers compute them and sends the results. It may store a part of the
/// farm's results, too. Returns the reports of this rank's threads.
std::vector<report::ThreadReport> run_worker_rank(comm::World& world, Work& work,
                                                  const Storing& storing, const FarmLimits& limits);

}  // namespace tessera::farm
