// tessera verify: checks every stored tile of a rendered file, and recomputes some rows of a sample
// of tiles.
#pragma once

#include <string>

#include "comm/world.hpp"
#include "post/verify/verify_plan.hpp"

namespace tessera::post {

/// Collective. Prints its findings on the gather rank. Returns a line on every rank if a tile is
/// damaged, wrong, or missing from a complete file; "" if all is well.
std::string verify(comm::World& world, const job::VerifyJob& job);

}  // namespace tessera::post
