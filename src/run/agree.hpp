// Errors found before the work starts: every rank finds its own, all leave together, one tells.
#pragma once

#include <functional>

#include "comm/world.hpp"

namespace tessera::run {

/// Runs `prepare` on this rank; then all ranks throw the same base::Error if it threw one on any of
/// them (the lowest such rank's). Collective. Only the gather rank's process prints it.
void agree(comm::World& world, const std::function<void()>& prepare);

}  // namespace tessera::run
