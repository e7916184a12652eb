#include "farm/coordinator_rank.hpp"

#include "base/event.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "farm/coordinator.hpp"
#include "farm/poll_interval.hpp"
#include "farm/request_threshold.hpp"
#include "farm/worker_pool.hpp"

namespace tessera::farm {
namespace {

/// At its start the gather rank polls more often for this time: until their speed is known, ranks
/// hold too few items to wait for an answer.
constexpr std::chrono::microseconds kStart{20000};

Outcome outcome_of(const Coordinator& coordinator, const Gather& gather) {
  if (coordinator.failed()) return {base::ExitCode::failed, coordinator.failure()};
  const std::string halted = coordinator.halted();
  if (halted.empty()) return {};
  const std::int64_t left_out = gather.schedule.left_out();
  return {
      base::ExitCode::stopped,
      fmt::format("stopped by {} with {} of {} done", halted, gather.schedule.finished() - left_out,
                  base::count_of(gather.schedule.count() - left_out, gather.item))};
}

class CoordinatorRank {
 public:
  CoordinatorRank(comm::World& world, Work& work, const Storing& storing, const FarmLimits& limits,
                  Gather& gather)
      : world_(world),
        limits_(limits),
        coordinator_(world, gather, storing, limits, wake_),
        pool_(work,
              {.send_result = [this](Result result) { coordinator_.deliver(std::move(result)); },
               .progress = [this] { wake_.notify(); }},
              world.origin(), limits.trace) {}

  std::vector<report::ThreadReport> run() {
    while (!is_over()) {
      bool busy = coordinator_.step();
      check_reasons_to_stop();
      if (started_timer_.due()) coordinator_.set_started(world_.rank(), pool_.in_progress());
      busy |= retire();
      busy |= feed_workers();
      busy |= end_workers();
      pool_.enforce_grace();
      pool_.admit();
      if (!busy) wake_.wait_for(poll_interval());
    }
    auto reports = pool_.join();
    reports.push_back(coordinator_.finish());
    return reports;
  }
  const Coordinator& coordinator() const { return coordinator_; }

 private:
  bool is_over() {
    return coordinator_.stopped() && coordinator_.all_left() && pool_.idle() &&
           coordinator_.all_ended() && world_.pending_sends() == 0;
  }

  void check_reasons_to_stop() {
    if (const std::string local = pool_.failure(); !local.empty()) {
      coordinator_.fail(world_.rank(), world_.host(), local);
    }
    if (limits_.until && base::Clock::now() > *limits_.until)
      base::this_run().stop.request("--max-seconds");
    if (base::stop_requested()) coordinator_.halt(base::this_run().stop.reason());
  }

  bool retire() {
    if (pool_.live_lanes() > 0 || retired_ || coordinator_.stopped()) return false;
    retired_ = true;
    coordinator_.retire(world_.rank(), world_.host(), pool_.take_back(), pool_.loss());
    return true;
  }

  bool feed_workers() {
    if (const auto items = coordinator_.take_local_drops(); !items.empty()) pool_.drop(items);
    if (coordinator_.take_local_recall()) {
      coordinator_.end_recall(world_.rank(), pool_.take_back());
      return true;  // the other ranks get them first
    }
    const int lanes = pool_.live_lanes();
    if (coordinator_.stopped() ||
        pool_.queued() >= request_threshold_.items(lanes, pool_.completed())) {
      return false;
    }
    const auto items = coordinator_.take_local(lanes);
    pool_.add(items, coordinator_.seconds_left());
    return !items.empty();
  }

  bool end_workers() {
    if (!coordinator_.stopped() || workers_ended_) return false;
    workers_ended_ = true;
    if (coordinator_.halted().empty()) {
      pool_.abandon();  // the items in progress are stored already, or will not be stored
    } else {
      pool_.wind_down();
    }
    return true;
  }

  std::chrono::microseconds poll_interval() const {
    if (coordinator_.receiving()) return kNoPollInterval;
    if (coordinator_.stopped()) return kShortPollInterval;
    if (world_.size() == 1) return kPollIntervalAlone;
    return base::Clock::now() - started_ < kStart ? kShortPollInterval : kPollInterval;
  }

  comm::World& world_;
  const FarmLimits& limits_;
  base::Event wake_;
  Coordinator coordinator_;
  WorkerPool pool_;
  RequestThreshold request_threshold_;
  StartedTimer started_timer_;
  base::Clock::time_point started_ = base::Clock::now();
  bool workers_ended_ = false;
  bool retired_ = false;
};

}  // namespace

std::vector<report::ThreadReport> run_coordinator_rank(comm::World& world, Work& work,
                                                       const Storing& storing,
                                                       const FarmLimits& limits, Gather& gather,
                                                       Outcome& outcome) {
  CoordinatorRank rank(world, work, storing, limits, gather);
  auto reports = rank.run();
  outcome = outcome_of(rank.coordinator(), gather);
  return reports;
}

}  // namespace tessera::farm
