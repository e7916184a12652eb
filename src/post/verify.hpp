// tessera verify: checks every stored tile of a rendered file, and recomputes some rows of a sample
// of tiles.
#pragma once

#include "comm/world.hpp"
#include "post/verify_plan.hpp"

namespace tessera::post {

/// Collective. Prints its findings on the gather rank. Throws base::Error (failed) on every rank if
/// a tile is damaged, wrong, or missing from a complete file.
void verify(comm::World& world, const job::VerifyJob& job);

}  // namespace tessera::post
