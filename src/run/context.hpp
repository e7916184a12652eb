// Everything that a run gets from whoever starts it: a command, or a program that uses the library.
#pragma once

#include "base/run.hpp"
#include "comm/world.hpp"

namespace tessera::run {

/// The functions that make a whole run (render, reduce, map) take it, and give `run` to the calling
/// thread (base::RunScope). Whatever works inside takes the world, or finds the rest by
/// base::this_run().
struct Context {
  comm::World& world;
  base::Run run;
};

}  // namespace tessera::run
