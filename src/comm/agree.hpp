// Errors found before the work starts: every rank finds its own, all leave together, one tells.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// An error that every rank throws alike, so that all leave together and one tells. Any other
/// exception is one rank's own: the others would wait for it for ever, so it must end them.
class AgreedError : public base::Error {
 public:
  using base::Error::Error;
};

/// Runs `prepare` on this rank; then all ranks throw the same AgreedError if it threw on any of
/// them (the lowest such rank's). Collective. Only the gather rank's process prints it.
void agree(comm::World& world, const std::function<void()>& prepare);

}  // namespace tessera::comm
