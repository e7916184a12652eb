#include "reduce/restart.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/printable.hpp"

namespace tessera::reduce {

ResumeState find_checkpoint(comm::World& world, const job::ReduceJob& job,
                            std::optional<ReduceCheckpoints>& checkpoints) {
  ResumeState cut{.slice_bytes = job.slice_bytes};
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    checkpoints.emplace(job);
    if (const auto& found = checkpoints->found()) {
      cut = {found->slice_bytes, found->tiles_each, found->shares, found->pass};
    }
  });
  return comm::broadcast_value(world, cut);
}

void announce(const ReduceCheckpoints& checkpoints, const job::ReduceJob& job,
              std::string_view items) {
  const auto& found = checkpoints.found();
  if (!found || job.quiet) return;
  fmt::print(stderr, "reduce: going on with {}: {} of {} {} are done{}\n",
             base::printable(checkpoints.path()), found->count_finished(), found->finished.size(),
             items, found->pass > 0 ? ", the second time over the array" : "");
}

std::optional<base::Clock::time_point> time_limit(const comm::World& world,
                                                  const job::ReduceJob& job) {
  if (job.max_s == 0) return std::nullopt;
  return base::later(world.origin(), job.max_s);
}

}  // namespace tessera::reduce
