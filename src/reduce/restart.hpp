// Stop and resume, for reductions with and without --axis.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "comm/world.hpp"
#include "reduce/checkpointing.hpp"

namespace tessera::reduce {

/// How the interrupted run divided the work, and the pass that it had reached.
struct ResumeState {
  std::uint64_t slice_bytes = 0;
  std::int64_t tiles_each = 0;
  std::int64_t shares = 0;  ///< items per tile, see plan::AxisItems; 0 = there is no checkpoint
  std::int64_t pass = 0;
};

/// Collective. Creates `checkpoints` on the gather rank. Returns the same value on every rank.
ResumeState find_checkpoint(comm::World& world, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints);

/// Prints how much finished work the run resumes from, unless the job is quiet.
void announce(const ReduceCheckpoints& checkpoints, const job::ReduceJob& job,
              std::string_view items);

/// The time at which --max-seconds end; none if the option is not given.
std::optional<base::Clock::time_point> time_limit(const comm::World& world,
                                                  const job::ReduceJob& job);

/// Collective. Returns farm(). If farm() throws, saves the checkpoint and throws the same error on
/// every rank, with a note about the checkpoint appended; no rank returns before the checkpoint is
/// on the disk. `checkpoints` is null except on the gather rank.
template <class Farm>
auto run_with_checkpoint(comm::World& world, ReduceCheckpoints* checkpoints, const Farm& farm) {
  const auto end = [&](base::ExitCode code) {
    return checkpoints != nullptr ? checkpoints->end(code) : "";
  };
  try {
    auto result = farm();
    end(base::ExitCode::done);
    return result;
  } catch (const comm::AgreedError& error) {
    throw comm::AgreedError(error.code(),
                            comm::broadcast_value(world, error.what() + end(error.code())));
  } catch (...) {
    end(base::ExitCode::failed);
    throw;
  }
}

}  // namespace tessera::reduce
