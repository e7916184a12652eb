// A farm on a rank other than the gather rank.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/bounded_queue.hpp"
#include "base/event.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/request_threshold.hpp"
#include "farm/started_items.hpp"
#include "farm/worker_pool.hpp"

namespace tessera::farm {

/// Requests items, lets the workers compute them and sends the results.
class WorkerRank {
 public:
  WorkerRank(comm::World& world, Work& work, const FarmLimits& limits);
  /// Releases workers that wait for room in the outbox, which would otherwise never end.
  ~WorkerRank() { outbox_.abandon(); }
  WorkerRank(const WorkerRank&) = delete;
  WorkerRank& operator=(const WorkerRank&) = delete;

  std::vector<report::ThreadReport> run();

 private:
  bool receive();
  void obey(const ControlMessage& control);
  void leave_at_once();
  bool report_failure();
  bool report_stop();
  void report_started();
  bool retire();
  bool ask();
  bool send();
  void post(ControlMessage message);

  comm::World& world_;
  std::uint32_t farm_;
  base::Event wake_;
  base::BoundedQueue<Result> outbox_;
  std::optional<Result> held_;  ///< taken from the outbox, not yet sent
  WorkerPool pool_;
  RequestThreshold request_threshold_;
  StartedTimer started_timer_;
  std::vector<ItemProgress> told_started_;
  bool asked_ = false;
  bool failed_ = false;
  bool retired_ = false;
  bool stop_reported_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::farm
