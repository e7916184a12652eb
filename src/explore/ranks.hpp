// The other ranks of an mpirun render squares that the gather rank hands out.
#pragma once

#include "binding/render_lanes.hpp"
#include "comm/world.hpp"
#include "explore/square_farm.hpp"
#include "job/image/render_job.hpp"

namespace tessera::explore {

/// On the gather rank: hands out squares until a stop is requested, then ends the other ranks.
/// The thread that created `world` calls it.
void run_coordinator(comm::World& world, SquareFarm& farm);

/// On the other ranks: renders squares until the gather rank ends.
void run_worker(comm::World& world, binding::Lanes& lanes, const job::RenderJob& job,
                FarmSpec spec);

}  // namespace tessera::explore
