// The MPI communicator of a world, and how this process ends its part in it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "comm/mpi_call.hpp"

namespace tessera::comm {

class Communicator {
 public:
  explicit Communicator(MPI_Comm handle) : handle_(handle) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  /// This rank can take no part any more, whatever its other threads do; they may hang in a driver.
  /// Any thread may call it. It does not return if the process belongs to Tessera.
  virtual void give_up(int exit_code, const std::string& why) = 0;
  /// Whether it has returned.
  virtual bool given_up() const { return false; }
  /// Throws a run error after give_up().
  virtual void check() const {}
  /// Collective, if no rank is missing.
  virtual void end(double heartbeat_timeout_s, int exit_code) = 0;

 protected:
  MPI_Comm handle_;
};

/// Starts MPI. Waits for all ranks.
std::unique_ptr<Communicator> start_mpi();

/// A duplicate of another program's communicator, an MPI_Comm. Collective.
std::unique_ptr<Communicator> duplicate(const void* communicator);

}  // namespace tessera::comm
