#include "farm/farm.hpp"

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "farm/coordinator_rank.hpp"
#include "farm/worker_rank.hpp"

namespace tessera::farm {

std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const FarmLimits& limits,
                                           Gather* gather) {
  Outcome outcome;
  auto reports = gather ? run_coordinator_rank(world, work, limits, *gather, outcome)
                        : WorkerRank(world, work, limits).run();
  // Also prevents an early rank from requesting items of the next farm while the gather rank still
  // receives the last messages of this one.
  const base::Bytes told =
      world.broadcast(base::ByteWriter().put(outcome.code).put_text(outcome.text).take());
  base::ByteReader in(told);
  outcome.code = in.get<base::ExitCode>();
  if (outcome.code != base::ExitCode::done) throw comm::AgreedError(outcome.code, in.get_text());
  return reports;
}

}  // namespace tessera::farm
