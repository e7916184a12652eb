#include "comm/communicator.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "comm/deadline.hpp"

namespace tessera::comm {
namespace {

void check_threads(int provided, const char* call) {
  if (provided >= MPI_THREAD_SERIALIZED) return;
  throw base::run_error("{}: this MPI cannot be used beside worker threads", call);
}

/// MPI_COMM_WORLD of a process that is a rank and nothing else.
class Launched : public Communicator {
 public:
  Launched() : Communicator(MPI_COMM_WORLD) {}

  void give_up(int exit_code, const std::string&) override { ::_exit(exit_code); }
  void end(double heartbeat_timeout_s, int exit_code) override {
    std::optional<Deadline> deadline;
    if (heartbeat_timeout_s > 0) deadline.emplace(2 * heartbeat_timeout_s, exit_code);
    MPI_Finalize();
  }
};

class Adopted : public Communicator {
 public:
  using Communicator::Communicator;

  void give_up(int, const std::string& why) override {
    const std::scoped_lock lock(mutex_);
    if (!given_up_) why_ = why;
    given_up_ = true;
  }
  bool given_up() const override { return given_up_; }
  void check() const override {
    if (!given_up_) return;
    const std::scoped_lock lock(mutex_);
    throw base::run_error("{}", why_);
  }
  void end(double, int) override { MPI_Comm_free(&handle_); }

 private:
  mutable std::mutex mutex_;  ///< guards why_
  std::string why_;
  std::atomic<bool> given_up_ = false;
};

}  // namespace

std::unique_ptr<Communicator> start_mpi() {
  // A waiting rank must not take a core from the ranks that compute. Open MPI spins without this
  // setting, and srun does not set it.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_threads(provided, "MPI_Init_thread");
  return std::make_unique<Launched>();
}

std::unique_ptr<Communicator> duplicate(const void* communicator) {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started == 0 || ended != 0) throw base::run_error("MPI_Comm_dup: MPI is not running");
  int provided = 0;
  check(MPI_Query_thread(&provided), "MPI_Query_thread");
  check_threads(provided, "MPI_Query_thread");
  MPI_Comm mine = MPI_COMM_NULL;
  check(MPI_Comm_dup(*static_cast<const MPI_Comm*>(communicator), &mine), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN);
  return std::make_unique<Adopted>(mine);
}

}  // namespace tessera::comm
