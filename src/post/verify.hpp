// tessera verify: checks every stored tile of a rendered file and computes some of its rows again.
#pragma once

#include "comm/world.hpp"
#include "post/verify_plan.hpp"

namespace tessera::post {

/// Collective. Prints what it found on the gather rank. Throws base::Error (failed) on every rank
/// if a tile is damaged, wrong, or missing from a complete file.
void verify(comm::World& world, const VerifyJob& job);

}  // namespace tessera::post
