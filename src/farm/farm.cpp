#include "farm/farm.hpp"

#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/broadcast_value.hpp"
#include "farm/coordinator_rank.hpp"
#include "farm/progress.hpp"
#include "farm/thread_reports.hpp"
#include "farm/worker_rank.hpp"

namespace tessera::farm {

namespace {

constexpr std::chrono::milliseconds kEstimateInterval{200};

}  // namespace

std::vector<report::ThreadReport> run_farm(comm::World& world, Work& work, const Storing& storing,
                                           const FarmLimits& limits, Gather* gather) {
  Outcome outcome;
  auto reports = gather ? run_coordinator_rank(world, work, storing, limits, *gather, outcome)
                        : run_worker_rank(world, work, storing, limits);
  // Also prevents an early rank from requesting items of the next farm while the gather rank still
  // receives the last messages of this one.
  outcome = comm::broadcast_value(world, outcome);
  if (outcome.code == base::ExitCode::stopped)
    throw Stopped(outcome.text, {std::move(reports), {}});
  if (outcome.code != base::ExitCode::done) throw comm::AgreedError(outcome.code, outcome.text);
  return reports;
}

int total_lanes(comm::World& world, int lanes) {
  return comm::all_reduce(world, lanes, std::plus<>());
}

FarmResult run(comm::World& world, FarmRun farm) {
  const int lanes = total_lanes(world, farm.work.live_lanes());
  const Storing storing{farm.sink, std::move(farm.parts)};
  if (!world.is_root()) {
    farm.costs = {};
    return {run_farm(world, farm.work, storing, farm.limits, nullptr), {}};
  }
  plan::Schedule schedule(std::move(farm.costs), lanes, farm.order, farm.window);
  for (std::size_t item = 0; item < farm.finished.size(); ++item) {
    if (farm.finished[item]) schedule.finish_before(static_cast<std::int64_t>(item));
  }
  schedule.leave_out(farm.left_out);
  const std::unique_ptr<base::StatusLine> line = base::status_line(farm.quiet);
  const std::string label = farm.label;
  Progress progress(std::move(farm.label), farm.item, *line, schedule, farm.following);
  report::LiveRun* const live = farm.limits.live;
  if (live) live->begin(label, farm.item, schedule.count(), farm.finished, lanes);
  auto next_estimate = base::Clock::now();
  const std::string counted = farm.item;
  std::int64_t taken_again = 0;
  Gather gather{schedule,
                [&](const auto& now, const auto& dealer) {
                  progress.show(now, dealer);
                  if (!live || base::Clock::now() < next_estimate) return;
                  next_estimate = base::Clock::now() + kEstimateInterval;
                  live->estimate(now.progress_share(), dealer.holders());
                  live->set_memory(world.rank(), resident_bytes());
                  const double power_w = farm.work.power_w();
                  if (base::is_told(power_w)) live->set_power(world.rank(), power_w);
                  if (const auto again = now.repeats().reissued; again > taken_again) {
                    live->note(fmt::format("{} taken from lost ranks",
                                           base::count_of(again - taken_again, counted)));
                    taken_again = again;
                  }
                },
                std::move(farm.item)};
  try {
    return {run_farm(world, farm.work, storing, farm.limits, &gather), schedule.repeats()};
  } catch (Stopped& stopped) {
    stopped.result().repeats = schedule.repeats();
    throw;
  }
}

}  // namespace tessera::farm
