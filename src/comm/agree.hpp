// Collects errors before the work starts: each rank finds its own, all ranks leave together, and
// the gather rank prints one.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "comm/world.hpp"

namespace tessera::comm {

/// An error that every rank throws alike, so that all ranks leave together. Any other exception
/// belongs to one rank; the others would wait for that rank without end, so it must end them.
class AgreedError : public base::Error {
 public:
  using base::Error::Error;
};

/// Runs `prepare` on this rank. If it threw on any rank, all ranks throw the same AgreedError, that
/// of the lowest such rank. Collective. Only the gather rank prints the error.
void agree(comm::World& world, const std::function<void()>& prepare);

}  // namespace tessera::comm
