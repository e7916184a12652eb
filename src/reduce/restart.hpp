// What reductions, of whole arrays and along axes, do alike to be stopped and gone on with.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/world.hpp"
#include "plan/schedule.hpp"
#include "reduce/checkpointing.hpp"

namespace tessera::reduce {

/// How the run that this one goes on with has cut the work, and how far it was.
struct FoundCut {
  std::uint64_t slice_bytes = 0;
  std::int64_t tiles_each = 0;
  std::int64_t shares = 0;  ///< 0 = there is nothing to go on with
  std::int64_t pass = 0;
};

/// Collective. Makes the checkpoints on the gather rank; the same answer on every rank.
FoundCut look_for_checkpoint(comm::World& world, const job::ReduceJob& job,
                             std::optional<ReduceCheckpoints>& checkpoints);

/// Says what there is to go on with, if the job is not quiet.
void announce(const ReduceCheckpoints& checkpoints, const job::ReduceJob& job,
              std::string_view items);

/// When --max-seconds are over.
std::optional<base::Clock::time_point> time_limit(const comm::World& world,
                                                  const job::ReduceJob& job);

void finish_before(plan::Schedule& schedule, const std::vector<bool>& finished);

/// Collective. What `farm` returns; or what it throws on every rank, with what is kept added to it:
/// no rank leaves before that is on the disk. `checkpoints` are null but on the gather rank.
template <class Farm>
auto keep_what_is_done(comm::World& world, ReduceCheckpoints* checkpoints, const Farm& farm) {
  const auto end = [&](base::ExitCode code) {
    return checkpoints != nullptr ? checkpoints->end(code) : "";
  };
  try {
    auto result = farm();
    end(base::ExitCode::done);
    return result;
  } catch (const comm::AgreedError& error) {
    const base::Bytes told =
        world.broadcast(base::ByteWriter().put_text(error.what() + end(error.code())).take());
    throw comm::AgreedError(error.code(), base::ByteReader(told).get_text());
  } catch (...) {
    end(base::ExitCode::failed);
    throw;
  }
}

}  // namespace tessera::reduce
